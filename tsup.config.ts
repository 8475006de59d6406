import { readFileSync } from 'node:fs'
import type { Options } from 'tsup'

/*
 * Two things are built. The library, a file for each entry of `exports` and what they share, keeps its dependencies
 * outside. The bin carries everything inside and is CommonJS:
 * agents' hooks start it at every session start, and each file that Node has to find, and each module that it has to
 * link, costs milliseconds there. src/cli/main.ts (dist/cli.cjs) knows `record` and `touch` only; the argument parser
 * and the other commands are src/cli/full.ts (dist/cli-full.cjs), which main loads by `await import('./full.js')`.
 * Inside a bundle, esbuild wraps a CommonJS package that is only ever imported by `import()` so that it is evaluated
 * at that call and not before: that keeps the lock package out of a write that meets nobody.
 */

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

const library: Options = {
  entry: ['index', 'agents', 'hooks', 'tmux', 'core', 'admin'].map((name) => `src/${name}.ts`),
  format: 'esm',
  target: 'node20',
  platform: 'node',
  removeNodeProtocol: false,
  // What is marked @internal is for our own tests.
  dts: { compilerOptions: { stripInternal: true } },
  clean: ['!**/*.cjs']
}

const bin: Options = {
  entry: { cli: 'src/cli/main.ts', 'cli-full': 'src/cli/full.ts' },
  format: 'cjs',
  target: 'node20',
  platform: 'node',
  removeNodeProtocol: false,
  minify: true,
  noExternal: [/.*/],
  // createRequire(import.meta.url) is how the synchronous save finds the lock package; CommonJS has no import.meta.
  define: { 'import.meta.url': '__filename', VERSION: JSON.stringify(version) },
  clean: ['!**/*.js', '!**/*.d.ts'],
  esbuildOptions(options) {
    // import() becomes require() at the same place: the first real import() of a process starts Node's ESM loader.
    options.supported = { 'dynamic-import': false }
  },
  esbuildPlugins: [
    {
      name: 'full-in-a-file-of-its-own',
      setup(build) {
        build.onResolve({ filter: /^\.\/full\.js$/ }, () => ({ path: './cli-full.cjs', external: true }))
      }
    }
  ]
}

const builds: Options[] = [library, bin]

export default builds
