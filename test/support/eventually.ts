/** Waits for what has no event of its own: asks again until there is an answer. The error says what was waited for. */
export async function eventually<T>(what: string, look: () => T | null | Promise<T | null>, ms = 120_000): Promise<T> {
  const end = performance.now() + ms
  for (;;) {
    let found: T | null = null
    try {
      found = await look()
    } catch (error) {
      if (performance.now() > end) throw error
    }
    if (found !== null) return found
    if (performance.now() > end) throw new Error(`waited ${ms} ms in vain for ${what}`)
    await new Promise((wake) => setTimeout(wake, 20))
  }
}
