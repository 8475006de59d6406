/** Says at the end of a run which tests were left out, and why; a run that leaves none out says nothing. */
import type { Reporter, TestModule, Vitest } from 'vitest/node'

/** What is needed of vitest's TestModule. */
export interface Ran {
  readonly relativeModuleId: string
  readonly children: {
    allTests(state: 'skipped'): Iterable<{ result(): { readonly state: string; readonly note?: string | undefined } }>
  }
}

export default class LeftOut implements Reporter {
  #byName = false

  onInit({ config }: Vitest): void {
    // `vitest -t name` leaves out all others, which is what was asked for.
    this.#byName = config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#byName) return
    for (const line of leftOut(modules)) process.stdout.write(`${line}\n`)
  }
}

export function leftOut(modules: readonly Ran[]): string[] {
  const counts = new Map<string, number>()
  for (const { relativeModuleId, children } of modules) {
    for (const test of children.allTests('skipped')) {
      const about = `${relativeModuleId}: ${test.result().note ?? 'no reason given'}`
      counts.set(about, (counts.get(about) ?? 0) + 1)
    }
  }
  return [...counts].map(([about, count]) => ` left out: ${count} of ${about}`)
}
