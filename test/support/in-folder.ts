import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs with a folder of its own, which is gone afterwards. */
export async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'crash-resume-index-'))
  try {
    await test(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
