/** Processes by number and start time, so that a reused number is never taken for the process that had it before. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const linux = process.platform === 'linux'

/** The running process of this number, or null where there is none. */
export function processOf(pid) {
  const found = look(pid)
  return found === null || isOver(found) ? null : { pid, start: found.start }
}

/** True once the process runs no more: gone, a zombie, or its number is another's. */
export function isDead({ pid, start }) {
  const found = look(pid)
  return found === null || found.start !== start || isOver(found)
}

/** The running processes that were given this in their environment, e.g. `HOME=/tmp/x`. */
export function processesGiven(variable) {
  return (linux ? pidsGivenInProc(variable) : pidsGivenByPs(variable)).flatMap((pid) => processOf(pid) ?? [])
}

/** SIGKILL to all of them, one right after the other. */
export function killAll(processes) {
  for (const each of processes) {
    try {
      if (!isDead(each)) process.kill(each.pid, 'SIGKILL')
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
  }
}

function isOver({ state }) {
  return state === 'Z' || state === 'X'
}

function look(pid) {
  return linux ? lookInProc(pid) : askPs(pid)
}

function lookInProc(pid) {
  const stat = readProc(pid, 'stat')
  if (stat === null) return null
  // The program's name stands in parentheses and may hold some itself; state and start time come after the last.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0], start: fields[19] }
}

function pidsGivenInProc(variable) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readProc(pid, 'environ')?.split('\0').includes(variable))
    .map(Number)
}

/** Null where the process is gone or another user's. */
function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return null
  }
}

function askPs(pid) {
  const line = ps('-o', 'stat=,lstart=', '-p', String(pid)).trim()
  return line === '' ? null : { state: line[0], start: line.slice(line.indexOf(' ')).trim() }
}

function pidsGivenByPs(variable) {
  return ps('-A', '-E', '-ww', '-o', 'pid=,command=')
    .split('\n')
    .filter((line) => line.split(/\s+/).includes(variable))
    .map((line) => Number.parseInt(line, 10))
}

function ps(...args) {
  return spawnSync('ps', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).stdout
}
