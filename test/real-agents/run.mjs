/**
 * The real agent programs against this library: opt-in, since it needs what a user's machine may not have.
 *
 * It needs Linux, root (for a network namespace), tmux, iproute2, util-linux, a build in dist/, and the programs
 * themselves: a folder with an npm prefix for each in CRI_REAL_AGENTS (npm install --prefix $CRI_REAL_AGENTS/claude
 * @anthropic-ai/claude-code, and .../codex @openai/codex). What is missing is said, and the exit code is 1.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CLI, openLab } from './lab.mjs'

const wanted = process.argv.slice(2)
const names = wanted.length > 0 ? wanted : ['claude', 'codex']
const folder = process.env.CRI_REAL_AGENTS ?? ''
const missing = []
if (process.platform !== 'linux') missing.push('Linux')
if (process.getuid?.() !== 0) missing.push('root, for a network namespace of its own')
for (const tool of ['tmux', 'ip', 'unshare', 'nsenter', 'ps']) {
  const found = (process.env.PATH ?? '').split(':').some((path) => existsSync(join(path, tool)))
  if (!found) missing.push(tool)
}
if (!existsSync(CLI)) missing.push('a build: npm run build')
const bins = names.map((name) => join(folder, name, 'node_modules', '.bin'))
for (const [at, bin] of bins.entries()) {
  if (!existsSync(join(bin, names[at]))) missing.push(`${names[at]} in ${bin} (CRI_REAL_AGENTS names the folder)`)
}
if (missing.length > 0) {
  console.error(`cannot run, for want of:\n${missing.map((what) => `  ${what}`).join('\n')}`)
  process.exit(1)
}

let failed = 0
for (const [at, name] of names.entries()) {
  const { scenario } = await import(`./${name}.mjs`)
  const version = execFileSync(join(bins[at], name), ['--version'], { encoding: 'utf8' }).trim()
  console.log(`\n${name} ${version}`)
  const lab = await openLab(bins)
  try {
    await scenario(lab, (line) => console.log(`  ${line.replaceAll(lab.root, '')}`))
    console.log('  passed')
  } catch (error) {
    failed += 1
    console.log(`  FAILED: ${error.message}`)
    if (process.env.CRI_SHOW) {
      console.log(JSON.stringify(lab.entries(), null, 1))
      for (const socket of readdirSync(lab.root).filter((file) => file.endsWith('.sock'))) {
        try {
          console.log(lab.tmux(socket.slice(0, -5), 'capture-pane', '-p', '-t', 'w'))
        } catch {}
      }
    }
  } finally {
    await lab.close()
  }
}
console.log(`\n${names.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
