/**
 * A name for this machine that stays the same over reboots and renames, and that is safe to write down.
 *
 * machine-id(5) asks programs not to show the machine's id, and to derive an id of their own from it. This one has 64
 * bits of the original 128: the original cannot be computed from it, and two machines do not share one by chance. It is
 * not a cryptographic hash, on purpose: a hook runs at every session start, and loading node:crypto takes longer than
 * everything else in this file.
 *
 * Without a machine id the host name is used. If that says nothing either, the boot is the machine: after a reboot it
 * counts as another machine, of which nothing can be proven.
 */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** systemd's file, and the older file of D-Bus that it replaced. */
const LINUX_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id']

/** macOS lists its network hardware here, readable for all. The address of en0 is built in and survives reinstalls. */
const DARWIN_FILE = '/Library/Preferences/SystemConfiguration/NetworkInterfaces.plist'

/** 64 bits of `text` as 16 hexadecimal digits: two 32-bit FNV-1a runs that start apart, each stirred at the end. */
export function digest64(text: string): string {
  let left = 0x811c9dc5
  let right = 0x1b873593
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    left = Math.imul(left ^ unit, 0x01000193)
    right = Math.imul(right ^ unit, 0x85ebca6b)
  }
  return stir(left ^ (right >>> 15)) + stir(right ^ (left >>> 13))
}

function stir(hash: number): string {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b)
  return ((bits ^ (bits >>> 16)) >>> 0).toString(16).padStart(8, '0')
}

/** The sources of the machine's name; each reads only files. `null`: not available. */
export interface IdSources {
  readonly platform: string
  /** The text of a file, or null. */
  readonly read: (path: string) => string | null
  readonly hostname: () => string
}

const realSources: IdSources = { platform: process.platform, read: readText, hostname }

/** The text of a small file; null: it cannot be read. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/**
 * The host part of a Machine.
 * @param bootId this boot's id, for a machine that has no other name
 */
export function hostId(bootId: string | undefined, sources: IdSources = realSources): string {
  const id = machineId(sources)
  if (id !== null) return digest64(`machine ${id}`)
  const name = hostNameOf(sources)
  if (name !== '' && !name.startsWith('localhost')) return digest64(`name ${name}`)
  return digest64(`boot ${bootId ?? 'unknown'}`)
}

function machineId(sources: IdSources): string | null {
  if (sources.platform === 'darwin') return builtInAddress(sources.read(DARWIN_FILE) ?? '')
  for (const path of LINUX_FILES) {
    // An image that was never booted has an empty file, or `uninitialized` (machine-id(5)).
    const id = sources.read(path)?.trim() ?? ''
    if (/^[0-9a-f]{32}$/i.test(id) && !/^0+$/.test(id)) return id.toLowerCase()
  }
  return null
}

/** The hardware address of en0 (base64), or null. The property list's keys are sorted, so the name comes first. */
function builtInAddress(plist: string): string | null {
  const after = plist.split(/<key>BSD Name<\/key>\s*<string>en0<\/string>/)[1]
  const entry = after?.split('<key>BSD Name</key>')[0] ?? ''
  return /<key>IOMACAddress<\/key>\s*<data>\s*([A-Za-z0-9+/=]+)\s*<\/data>/.exec(entry)?.[1] ?? null
}

function hostNameOf(sources: IdSources): string {
  try {
    return sources.hostname().toLowerCase()
  } catch {
    return ''
  }
}
