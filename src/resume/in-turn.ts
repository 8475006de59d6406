/**
 * Works through the entries of a pass, several at a time, and returns a row for each, whatever happens to it.
 */
import type { RecoveryProgress, RecoveryRow } from './report.js'
import { oneLine, type ReserveOptions } from './reserve.js'

export interface PassOptions extends ReserveOptions {
  /** How many resumes run at the same time. @default 4 */
  readonly concurrency?: number | undefined
  /** The pause between two starts, in ms. @default 0 */
  readonly staggerMs?: number | undefined
  /** A person's word: resume also a conversation whose transcript has lost something. @default false */
  readonly shrunk?: boolean | undefined
  readonly onProgress?: ((progress: RecoveryProgress) => void) | undefined
}

/** Runs `work` when its turn to start something comes. The next turn comes some time after it has started. */
type Begin = (work: (started: () => void) => Promise<RecoveryRow>) => Promise<RecoveryRow>

export async function inTurn(
  surfaces: readonly string[],
  options: PassOptions,
  work: (surfaceId: string, begin: Begin) => Promise<RecoveryRow>
): Promise<readonly RecoveryRow[]> {
  const rows = new Map<string, RecoveryRow>()
  const turn = staggered(options.staggerMs ?? 0)
  const tell = (step: RecoveryProgress['step'], surfaceId: string, row?: RecoveryRow): void => {
    // A listener that throws must not harm an entry.
    try {
      options.onProgress?.({ done: rows.size, total: surfaces.length, surfaceId, step, ...(row && { row }) })
    } catch {}
  }
  const aborted = (surfaceId: string): RecoveryRow | null =>
    options.signal?.aborted ? { surfaceId, outcome: 'pending', reason: 'aborted' } : null
  const begin = async (surfaceId: string, start: Parameters<Begin>[0]): Promise<RecoveryRow> => {
    const started = await turn()
    try {
      const ended = aborted(surfaceId)
      if (ended !== null) return ended
      tell('resuming', surfaceId)
      return await start(started)
    } finally {
      started()
    }
  }
  const rowFor = async (surfaceId: string): Promise<RecoveryRow> => {
    try {
      return await work(surfaceId, (start) => begin(surfaceId, start))
    } catch (thrown) {
      const error = asError(thrown)
      return aborted(surfaceId) ?? { surfaceId, outcome: 'failed', reason: 'error', why: oneLine(error), error }
    }
  }
  const waiting = surfaces.values()
  const worker = async (): Promise<void> => {
    for (const surfaceId of waiting) {
      tell('probing', surfaceId)
      const row = aborted(surfaceId) ?? (await rowFor(surfaceId))
      rows.set(surfaceId, row)
      tell('done', surfaceId, row)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, options.concurrency ?? 4) }, worker))
  return surfaces.flatMap((surfaceId) => rows.get(surfaceId) ?? [])
}

/** Waits for a turn. The next turn comes `ms` after this one says that it has started. */
function staggered(ms: number): () => Promise<() => void> {
  let next: Promise<void> = Promise.resolve()
  return async () => {
    const mine = next
    let started = (): void => undefined
    const begun = new Promise<void>((resolve) => {
      started = resolve
    })
    if (ms > 0) next = begun.then(() => new Promise((wake) => setTimeout(wake, ms)))
    await mine
    return started
  }
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
