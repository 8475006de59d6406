/**
 * What a folder is good for: whether it outlives a reboot, whether it is on another machine, whether it has hard
 * links. Each is found out by asking the file system, not by its name alone, and "could not find out" is an answer.
 */
import { linkSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { sep } from 'node:path'
import { codeOf } from './files.js'

/** statfs(2), f_type; the numbers are in linux/magic.h. */
const IN_MEMORY = new Map([
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs']
])
const ON_NETWORK = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x65735546, 'FUSE']
])
/** Emptied at boot, or by age, on common systems (file-hierarchy(7), hier(7)). */
const CLEARED = ['/tmp', '/var/tmp', '/private/tmp', '/private/var/tmp', '/private/var/folders', '/run', '/dev/shm']

/** What the file system promises where the index is. */
export interface StorageFacts {
  /** Why what is stored here may not outlive a reboot; null: nothing says so. */
  readonly volatile: string | null
  /** The kind of network file system; null: no known one. */
  readonly network: string | null
}

/** @param folder an existing one, resolved */
export function placeOf(folder: string): StorageFacts {
  const type = typeOf(folder)
  const memory = IN_MEMORY.get(type ?? -1)
  const cleared = [...CLEARED, tmpdir()].find((root) => folder === root || folder.startsWith(`${root}${sep}`))
  return {
    volatile: memory ?? (cleared === undefined ? null : `in ${cleared}`),
    network: ON_NETWORK.get(type ?? -1) ?? null
  }
}

function typeOf(folder: string): number | null {
  try {
    return Number(statfsSync(folder).type)
  } catch {
    return null
  }
}

/**
 * Tries a hard link in a new folder `trial`, which is gone afterwards. Null: it could not be tried, e.g. without
 * permission.
 */
export function hasHardLinks(trial: string): boolean | null {
  try {
    mkdirSync(trial, 0o700)
  } catch {
    return null
  }
  try {
    writeFileSync(`${trial}/1`, '', { flag: 'wx', mode: 0o600 })
    linkSync(`${trial}/1`, `${trial}/2`)
    return true
  } catch (error) {
    // Only what link() itself says has a second path; a full or broken disk says nothing of links.
    const isRefusal = error instanceof Error && 'dest' in error
    return isRefusal && !['ENOSPC', 'EDQUOT', 'EIO'].includes(codeOf(error) ?? '') ? false : null
  } finally {
    removeTrial(trial)
  }
}

function removeTrial(trial: string): void {
  try {
    rmSync(trial, { recursive: true, force: true })
  } catch {
    // What stays is swept up like the folder of a killed first writer.
  }
}
