import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Options } from 'tsup'

/*
 * Two things are built. The library keeps its dependencies outside. The bin carries everything inside and is CommonJS:
 * agents' hooks start it at every session start, and each file that Node has to find, and each module that it has to
 * link, costs milliseconds there. src/cli/main.ts (dist/cli.cjs) knows `record` and `touch` only; the argument parser
 * and the other commands are src/cli/full.ts (dist/cli-full.cjs), which main loads by `await import('./full.js')`.
 * Inside a bundle, esbuild wraps a CommonJS package that is only ever imported by `import()` so that it is evaluated
 * at that call and not before: that keeps the lock package out of a write that meets nobody. zod is needed where an
 * entry is not in order, which is rare, and is a third of what a hook would have to read: it is dist/cli-zod.cjs, which
 * is loaded at the first call of one of its functions.
 */

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

const library: Options = {
  entry: { index: 'src/index.ts' },
  format: 'esm',
  target: 'node20',
  platform: 'node',
  removeNodeProtocol: false,
  dts: true,
  clean: ['!**/*.cjs']
}

const bin: Options = {
  entry: { cli: 'src/cli/main.ts', 'cli-full': 'src/cli/full.ts', 'cli-zod': 'node_modules/zod/mini/index.js' },
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
      name: 'files-of-their-own',
      setup(build) {
        build.onResolve({ filter: /^\.\/full\.js$/ }, () => ({ path: './cli-full.cjs', external: true }))
        build.onResolve({ filter: /^zod\/mini$/ }, ({ kind }) =>
          kind === 'entry-point' ? undefined : { path: 'zod', namespace: 'at-first-call', sideEffects: false }
        )
        build.onResolve({ filter: /^\.\/cli-zod\.cjs$/ }, ({ path }) => ({ path, external: true }))
        build.onLoad({ filter: /^zod$/, namespace: 'at-first-call' }, () => ({ contents: callsOf(zodNames()) }))
        build.onLoad({ filter: /\/zod\/mini\/index\.js$/ }, ({ path }) => ({
          contents: `export { ${zodNames().join(', ')} } from '../v4/mini/index.js'`,
          resolveDir: dirname(path)
        }))
      }
    }
  ]
}

/** What the sources call of zod. */
function zodNames(): readonly string[] {
  const calls = readFileSync('src/core/entry-schema.ts', 'utf8').matchAll(/\bz\.(\w+)[(<]/g)
  return [...new Set([...calls].map(([, name = '']) => name))]
}

/** Functions of these names, each of which loads dist/cli-zod.cjs when it is called. */
function callsOf(names: readonly string[]): string {
  const calls = names.map((name, at) => `const f${at} = (...args) => require('./cli-zod.cjs').${name}(...args)`)
  return [...calls, `export { ${names.map((name, at) => `f${at} as ${name}`).join(', ')} }`].join('\n')
}

const builds: Options[] = [library, bin]

export default builds
