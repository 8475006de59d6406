/**
 * A place where the real agent programs run without reaching anything: a network namespace with loopback alone, a home
 * of their own, dummy keys, a private tmux server, and a model server on loopback. All of it ends with `close`.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const CLI = new URL('../../dist/cli.cjs', import.meta.url).pathname

/** Waits for what `look` returns to be truthy; the error says what was waited for. */
export async function until(what, look, ms = 30_000) {
  const end = Date.now() + ms
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > end) throw new Error(`waited ${ms} ms in vain for ${what}`)
    await new Promise((wake) => setTimeout(wake, 100))
  }
}

export async function openLab(bins) {
  const root = mkdtempSync(join(tmpdir(), 'real-agents-'))
  const home = join(root, 'home')
  const work = join(root, 'work')
  for (const folder of [home, work, join(root, 'tmp')]) mkdirSync(folder, { recursive: true })
  const index = join(root, 'index', 'index.json')
  const log = join(root, 'requests.jsonl')
  const holder = spawn('unshare', ['-n', 'sh', '-c', 'ip link set lo up && echo up && exec sleep 1800'], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  await firstLine(holder, 'the network namespace')
  const inside = ['-t', String(holder.pid), '-n', '--']
  const env = {
    PATH: `${bins.join(':')}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
    HOME: home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    TMPDIR: join(root, 'tmp'),
    CRASH_RESUME_INDEX_PATH: index,
    ANTHROPIC_API_KEY: 'sk-ant-dummy-0000000000000000000000',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:4010',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    MOCK_KEY: 'dummy',
    OPENAI_API_KEY: 'sk-dummy'
  }
  const model = spawn(
    'nsenter',
    [...inside, process.execPath, new URL('model-server.mjs', import.meta.url).pathname, '4010', log],
    {
      env,
      stdio: ['ignore', 'pipe', 'inherit']
    }
  )
  await firstLine(model, 'the model server')
  const sockets = new Set()
  /** Runs a program in the namespace, with the clean environment; returns its output. */
  const run = (file, args, more = {}) =>
    execFileSync('nsenter', [...inside, file, ...args], {
      env: { ...env, ...more },
      cwd: work,
      encoding: 'utf8',
      timeout: 60_000
    })
  const tmux = (name, ...args) => {
    const socket = join(root, `${name}.sock`)
    sockets.add(socket)
    return run('tmux', ['-S', socket, '-f', '/dev/null', ...args])
  }
  return {
    root,
    home,
    work,
    run,
    tmux,
    /** Runs our command line: its exit code, what it printed, and its words for a person. */
    cri(...args) {
      const done = spawnSync('nsenter', [...inside, process.execPath, CLI, ...args], {
        env,
        cwd: work,
        encoding: 'utf8'
      })
      return { code: done.status, out: done.stdout, words: done.stderr.trim().split('\n') }
    },
    entries: () => JSON.parse(run(process.execPath, [CLI, 'list', '--json'])),
    requests: () => {
      try {
        return readFileSync(log, 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
      } catch {
        return []
      }
    },
    async close() {
      for (const socket of sockets) {
        try {
          execFileSync('tmux', ['-S', socket, 'kill-server'], { stdio: 'ignore' })
        } catch {
          // It is gone already.
        }
      }
      // Nothing of the namespace outlives it: a leftover would write into the folder that is being removed.
      await until('the end of what ran in the namespace', () => inNamespaceOf(holder.pid).length <= 2).catch(() => {})
      for (const pid of inNamespaceOf(holder.pid)) process.kill(pid, 'SIGKILL')
      rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    }
  }
}

/** The processes in the network namespace of this one, itself included. */
function inNamespaceOf(pid) {
  const namespace = (of) => {
    try {
      return readlinkSync(`/proc/${of}/ns/net`)
    } catch {
      return null
    }
  }
  const ours = namespace(pid)
  if (ours === null || ours === namespace('self')) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && namespace(name) === ours)
    .map(Number)
}

function firstLine(child, what) {
  return new Promise((resolve, reject) => {
    child.stdout.once('data', resolve)
    child.once('exit', (code) => reject(new Error(`${what} did not start (exit ${code})`)))
  })
}

/** The processes whose program has this name, by /proc, below the given one or anywhere. */
export function processesNamed(name) {
  return execFileSync('ps', ['-eo', 'pid=,stat=,comm='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, stat, comm]) => comm === name && !stat.startsWith('Z'))
    .map(([pid]) => Number(pid))
}
