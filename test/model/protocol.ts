/**
 * The store's protocol as the exploration runs it: its source, bundled, with at most one place in it changed.
 *
 * The codec is remembered by text and by entries (it is pure, and most of the time would go into reading the same
 * texts again); everything else is the code as it stands in src.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type { Protocol } from './world.js'

const src = resolve(import.meta.dirname, '../../src')

/** One piece of source text, found exactly once, and what takes its place. */
export interface Edit {
  /** Within src. */
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** The protocol with these edits in its source. @throws where a text to be replaced is not there exactly once */
export async function loadProtocol(edits: readonly Edit[] = []): Promise<Protocol> {
  const folder = mkdtempSync(join(tmpdir(), 'protocol-'))
  const outfile = join(folder, 'protocol.mjs')
  try {
    await build({
      stdin: {
        contents: `export { update } from './store/update.js'; export { readSnapshot } from './store/snapshot.js'`,
        resolveDir: src,
        loader: 'ts'
      },
      ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'error', outfile },
      plugins: [rememberingCodec, edited(edits)]
    })
    return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as Protocol
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The source of a file in src with its edits applied. */
export function editedSource(file: string, edits: readonly Edit[]): string {
  let text = readFileSync(join(src, file), 'utf8')
  for (const { find, replace } of edits) {
    const parts = text.split(find)
    if (parts.length !== 2) throw new Error(`found ${parts.length - 1} times in ${file}, not once: ${find}`)
    text = parts.join(replace)
  }
  return text
}

function edited(edits: readonly Edit[]): Plugin {
  return {
    name: 'edited',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const here = edits.filter(({ file }) => join(src, file) === path)
        return here.length === 0 ? undefined : { contents: editedSource(here[0]!.file, here), loader: 'ts' }
      })
  }
}

const rememberingCodec: Plugin = {
  name: 'remembering-codec',
  setup: ({ onResolve }) => {
    const remembering = resolve(import.meta.dirname, 'remembering-codec.ts')
    onResolve({ filter: /core\/codec\.js$/ }, ({ importer }) =>
      importer === remembering ? undefined : { path: remembering }
    )
  }
}
