/**
 * Reads a hook's payload from a stream, within limits in size and time: an agent that never closes it, or that sends
 * without end, must not keep the hook.
 */

export const PAYLOAD_BYTES: number = 1024 * 1024
export const PAYLOAD_MS = 2000

/**
 * Reads what an agent sends to its hook, such as `process.stdin`. It never throws.
 * @param limits in bytes and ms. @default 1 MiB, 2000 ms
 * @returns null where it did not end in time, is too large, or could not be read
 */
export async function readPayload(
  stream: AsyncIterable<Uint8Array | string> & { destroy?: () => void },
  limits: { readonly bytes?: number | undefined; readonly ms?: number | undefined } = {}
): Promise<string | null> {
  const { bytes = PAYLOAD_BYTES, ms = PAYLOAD_MS } = limits
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms)
  })
  try {
    return await Promise.race([collect(stream, bytes), late])
  } finally {
    clearTimeout(timer)
    stream.destroy?.()
  }
}

async function collect(stream: AsyncIterable<Uint8Array | string>, limit: number): Promise<string | null> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of stream) {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part
      size += bytes.length
      if (size > limit) return null
      parts.push(bytes)
    }
  } catch {
    return null
  }
  return Buffer.concat(parts).toString('utf8')
}
