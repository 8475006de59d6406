import type { ViteUserConfig } from 'vitest/config'

/*
 * A test belongs to the project of its folder, so a new file needs no change here. The projects run one after the
 * other: what measures time or starts many processes has the machine to itself. `CRI_FULL=1` (npm run test:full)
 * runs the same tests with larger sizes.
 */
const SECOND_MS = 1000
const factor = process.env['CRI_FULL'] === '1' ? 20 : 1

const model = ['test/model/**/*.test.ts']
const store = ['test/{store,probes,hooks,cli,package}/**/*.test.ts']
const terminal = ['test/{terminals,demo}/**/*.test.ts']

const config: ViteUserConfig = {
  test: {
    // Runs once, for all projects.
    globalSetup: 'test/support/build-programs.ts',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...model, ...store, ...terminal],
          testTimeout: 20 * SECOND_MS * factor,
          sequence: { groupOrder: 0 }
        }
      },
      {
        // The protocol of the store, explored over a file system in memory: all processor, no disk. On two cores the
        // default would be one worker.
        test: {
          name: 'model',
          include: model,
          maxWorkers: 2,
          testTimeout: 120 * SECOND_MS * factor,
          sequence: { groupOrder: 1 }
        }
      },
      {
        // Real files and many real processes; one test file at a time, for the processes of one fill the machine.
        test: {
          name: 'store',
          include: store,
          testTimeout: 60 * SECOND_MS * factor,
          hookTimeout: 60 * SECOND_MS * factor,
          maxWorkers: 1,
          sequence: { groupOrder: 2 }
        }
      },
      {
        // A real tmux.
        test: {
          name: 'terminal',
          include: terminal,
          testTimeout: 60 * SECOND_MS * factor,
          hookTimeout: 60 * SECOND_MS * factor,
          maxWorkers: 1,
          sequence: { groupOrder: 3 }
        }
      }
    ]
  }
}

export default config
