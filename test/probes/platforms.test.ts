import { expect, test } from 'vitest'
import { digest64, hostId, type IdSources } from '../../src/probes/machine-id.js'
import { parseStat } from '../../src/probes/proc-linux.js'
import { darwinBootId, darwinFacts, type Runner, runProgram } from '../../src/probes/ps-darwin.js'

const stat = (comm: string, state = 'S', threads = 1): string =>
  `77 (${comm}) ${state} 5 77 77 34816 77 4194304 1 0 0 0 1 2 0 0 20 0 ${threads} 0 98765 1000 10 18446744073709551615\n`

test.each([['sh'], ['a b'], ['x) R 1'], [') Z 9 ('], ['two\nlines'], ['']])('a program named %j', (comm) => {
  const inSession = { session: 77, terminal: true }
  expect(parseStat(stat(comm))).toEqual({ pid: 77, ppid: 5, zombie: false, start: '98765', comm, ...inSession })
  expect(parseStat(stat(comm).replace(' 34816 ', ' 0 '))?.terminal).toBe(false)
})

test('a zombie is one only when its last thread has ended', () => {
  expect(parseStat(stat('sh', 'Z'))?.zombie).toBe(true)
  expect(parseStat(stat('sh', 'Z', 3))?.zombie).toBe(false)
  expect(parseStat(stat('sh', 'X'))?.zombie).toBe(true)
  expect(parseStat(stat('sh', 't'))?.zombie).toBe(false)
})

test.each([[''], ['77'], ['77 (sh'], ['77 (sh) S'], ['77 (sh) S 5 1 1']])('no facts from %j', (text) => {
  expect(parseStat(text)).toBeNull()
})

const sources = (files: Record<string, string>, platform = 'linux', name = 'box'): IdSources => ({
  platform,
  read: (path) => files[path] ?? null,
  hostname: () => name
})
const id = '3d1219c7c4c5404aaa1f6d2a48adfda4'

test('the machine id names the host, wherever it is kept and however it ends', () => {
  const host = hostId('boot', sources({ '/etc/machine-id': `${id}\n` }))
  expect(host).toMatch(/^[0-9a-f]{16}$/)
  expect(id).not.toContain(host.slice(0, 8))
  expect(hostId('later', sources({ '/etc/machine-id': id }, 'linux', 'renamed'))).toBe(host)
  expect(hostId('boot', sources({ '/etc/machine-id': '', '/var/lib/dbus/machine-id': id }))).toBe(host)
})

test('without a machine id the host name does, and without that each boot is another machine', () => {
  const named = hostId('b1', sources({ '/etc/machine-id': 'uninitialized\n' }))
  expect(hostId('b2', sources({}))).toBe(named)
  expect(hostId('b1', sources({}, 'linux', 'other'))).not.toBe(named)
  const nameless = ['b1', 'b2'].map((boot) => hostId(boot, sources({}, 'linux', 'localhost.localdomain')))
  expect(new Set(nameless).size).toBe(2)
})

test('macOS: the built-in address of en0, and no other interface', () => {
  const entry = (name: string, data: string): string =>
    `<dict><key>Active</key><true/><key>BSD Name</key>\n<string>${name}</string><key>IOBuiltin</key><true/>` +
    `<key>IOMACAddress</key>\n<data>\n\t${data}\n\t</data><key>SCNetworkInterfaceInfo</key><dict/></dict>`
  const path = '/Library/Preferences/SystemConfiguration/NetworkInterfaces.plist'
  const of = (text: string, name = 'box'): string => hostId('b', sources({ [path]: text }, 'darwin', name))
  const host = of(entry('en1', 'AAAA') + entry('en0', 'BBBB'))
  expect(of(entry('en0', 'BBBB') + entry('en5', 'CCCC'), 'renamed')).toBe(host)
  expect(of(entry('en0', 'DDDD'))).not.toBe(host)
  expect(of(entry('en1', 'BBBB'))).toBe(hostId('b', sources({}, 'darwin')))
})

test('a digest differs wherever its text does', () => {
  const digests = Array.from({ length: 20_000 }, (_, at) => digest64(`machine ${at.toString(16)}`))
  expect(new Set(digests).size).toBe(digests.length)
  expect(new Set(digests.map((digest) => digest.slice(0, 8))).size).toBeGreaterThan(19_990)
  expect(new Set(digests.map((digest) => digest.slice(8))).size).toBeGreaterThan(19_990)
})

test('macOS: processes from one run of ps', () => {
  const asked: string[][] = []
  const run: Runner = (file, args) => {
    asked.push([file, ...args])
    return [
      '    1     0 Ss   Thu Oct  1 08:00:01 2026     /sbin/launchd',
      '  412     1 S+   Mon Nov 30 09:12:44 2026     /opt/my-agent --resume x',
      '  413   412 Z    Mon Nov 30 09:12:45 2026     (sh)',
      'garbage'
    ].join('\n')
  }
  const facts = darwinFacts(run)
  expect(asked).toEqual([['/bin/ps', '-A', '-ww', '-o', 'pid=,ppid=,stat=,lstart=,command=']])
  expect([...(facts?.values() ?? [])]).toEqual([
    { pid: 1, ppid: 0, zombie: false, start: 'Thu Oct  1 08:00:01 2026', comm: 'launchd', argv: ['/sbin/launchd'] },
    {
      pid: 412,
      ppid: 1,
      zombie: false,
      start: 'Mon Nov 30 09:12:44 2026',
      comm: 'my-agent',
      argv: ['/opt/my-agent', '--resume', 'x']
    },
    { pid: 413, ppid: 412, zombie: true, start: 'Mon Nov 30 09:12:45 2026', comm: '(sh)', argv: ['(sh)'] }
  ])
})

test('macOS: what ps or sysctl did not say is not known', () => {
  expect(darwinFacts(() => null)).toBeNull()
  expect(darwinFacts(() => '')).toBeNull()
  expect(darwinBootId(() => null)).toBeUndefined()
  expect(darwinBootId(() => ' \n')).toBeUndefined()
  expect(darwinBootId(() => 'AB-1\n')).toBe('AB-1')
})

test('a program that fails, is missing or takes too long gives null', () => {
  expect(runProgram('/bin/sh', ['-c', 'echo out'], 60_000)).toBe('out\n')
  expect(runProgram('/bin/sh', ['-c', 'exit 1'], 60_000)).toBeNull()
  expect(runProgram('/no/such/program', [])).toBeNull()
  expect(runProgram('/bin/sh', ['-c', 'exec sleep 1000'])).toBeNull()
})
