/**
 * A place where the real agent programs run without reaching anything: a network namespace with loopback alone, a home
 * of their own, dummy keys, a private tmux server, and a model server on loopback. All of it ends with `close`.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
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

/** Presses a key until it is seen to have worked: a program that has just drawn its question may not listen yet. */
export async function pressed(what, press, holds) {
  for (let tries = 0; tries < 5; tries++) {
    press()
    try {
      return await until(what, holds, 2000)
    } catch {
      // It was not listening.
    }
  }
  throw new Error(`pressed in vain for ${what}`)
}

export async function openLab(bins) {
  const root = mkdtempSync(join(tmpdir(), 'real-agents-'))
  const home = join(root, 'home')
  const work = join(root, 'work')
  const bin = join(root, 'bin')
  for (const folder of [home, work, bin, join(root, 'tmp')]) mkdirSync(folder, { recursive: true })
  symlinkSync(CLI, join(bin, 'crash-resume-index'))
  const index = join(root, 'index', 'index.json')
  const log = join(root, 'requests.jsonl')
  const holder = spawn('unshare', ['-n', 'sh', '-c', 'ip link set lo up && echo up && exec sleep 1800'], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  await firstLine(holder, 'the network namespace')
  const inside = ['-t', String(holder.pid), '-n', '--']
  const env = {
    PATH: `${[bin, ...bins].join(':')}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
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
    OPENAI_API_KEY: 'sk-dummy',
    OPENAI_BASE_URL: 'http://127.0.0.1:4010/v1',
    OPENAI_MODEL: 'mock',
    GEMINI_API_KEY: 'dummy',
    GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:4010',
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: 'http://127.0.0.1:4010/v1',
    COPILOT_MODEL: 'mock',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1'
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
        encoding: 'utf8',
        timeout: 90_000
      })
      return { code: done.status, out: done.stdout, words: done.stderr.trim().split('\n') }
    },
    /** The processes of the namespace whose program has this name: never those of anybody else on this machine. */
    running: (name) =>
      inNamespaceOf(holder.pid).filter((pid) => {
        const { comm, state } = statOf(pid)
        return comm === name && state !== 'Z'
      }),
    /** The process and those above it, up to the first that is gone or not of the namespace. */
    chain(pid) {
      const ours = new Set(inNamespaceOf(holder.pid))
      const found = []
      for (let at = pid; ours.has(at); at = statOf(at).parent) found.push(at)
      return found
    },
    /** Everything that was started in the namespace ends in one instant, by SIGKILL. @returns how many it were */
    killAll() {
      const all = inNamespaceOf(holder.pid).filter((pid) => pid !== holder.pid && pid !== model.pid)
      // Halted first, the older ones before what they started, so that nobody sees another one die.
      const inOrder = all.toSorted((one, other) => one - other)
      for (const signal of ['SIGSTOP', 'SIGKILL']) for (const pid of inOrder) signalled(pid, signal)
      return all.length
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
      for (const pid of inNamespaceOf(holder.pid)) signalled(pid, 'SIGKILL')
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

function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name stands in brackets, and may hold anything.
    const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { comm: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')), state, parent: Number(parent) }
  } catch {
    return { comm: null, state: null, parent: 0 }
  }
}

function signalled(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}
