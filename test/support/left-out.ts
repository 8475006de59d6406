/** Says at the end of a run which tests were left out, and why; a run that leaves none out says nothing. */
import type { Reporter, TestCase, TestModule } from 'vitest/node'

export default class LeftOut implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const line of leftOut(modules)) process.stdout.write(`${line}\n`)
  }
}

function leftOut(modules: readonly TestModule[]): string[] {
  const counts = new Map<string, number>()
  for (const module of modules) {
    for (const test of module.children.allTests('skipped')) {
      const about = `${module.relativeModuleId}: ${reasonOf(test)}`
      counts.set(about, (counts.get(about) ?? 0) + 1)
    }
  }
  return [...counts].map(([about, count]) => ` left out: ${count} of ${about}`)
}

function reasonOf(test: TestCase): string {
  const result = test.result()
  return (result.state === 'skipped' ? result.note : undefined) ?? 'no reason given'
}
