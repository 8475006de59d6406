import type { ViteUserConfig } from 'vitest/config'

/*
 * A test belongs to the project of its folder, so a new file needs no change here. Two test files run at a time: first
 * what is pure processor, then what waits for processes and terminals. `CRI_FULL=1` (npm run test:full) runs the same
 * tests with larger sizes, `npm run test:quick` the first project alone.
 */
const MINUTE_MS = 60_000
const factor = process.env['CRI_FULL'] === '1' ? 20 : 1
// Generous, for a machine under load: a limit is there to end what hangs, not to measure.
const limits = { testTimeout: 5 * MINUTE_MS * factor, hookTimeout: 5 * MINUTE_MS * factor }

const model = ['test/model/**/*.test.ts']
const store = ['test/{store,probes,hooks,package}/**/*.test.ts']
const terminal = ['test/{terminals,recover,run,demo}/**/*.test.ts']

const config: ViteUserConfig = {
  test: {
    // Runs once, for all projects.
    globalSetup: ['test/support/surroundings.ts', 'test/support/build-programs.ts'],
    reporters: ['default', './test/support/left-out.ts'],
    projects: [
      {
        test: {
          ...limits,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...model, ...store, ...terminal],
          setupFiles: 'test/support/another-date.ts',
          maxWorkers: 2,
          sequence: { groupOrder: 0 }
        }
      },
      {
        // The protocol of the store, explored over a file system in memory.
        test: { ...limits, name: 'model', include: model, maxWorkers: 2, sequence: { groupOrder: 0 } }
      },
      {
        // Real files and many real processes.
        test: { ...limits, name: 'store', include: store, maxWorkers: 2, sequence: { groupOrder: 1 } }
      },
      {
        // A real tmux. On a busy machine a new server of 3.3a may exit at its start; the cause is not known.
        test: {
          ...limits,
          name: 'terminal',
          include: terminal,
          retry: 2,
          maxWorkers: 2,
          sequence: { groupOrder: 1 }
        }
      }
    ]
  }
}

export default config
