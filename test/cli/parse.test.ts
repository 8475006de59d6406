import { describe, expect, it } from 'vitest'
import { COMMAND_NAMES, type ParseResult, parse } from '../../src/cli/parse.js'
import { quickCommand } from '../../src/cli/quick.js'
import type { Parsed } from '../../src/cli/task.js'

const VERSION = '1.2.3'
const parsed = (...argv: string[]): ParseResult => parse(argv, VERSION)
const command = (...argv: string[]): Parsed => {
  const result = parsed(...argv)
  if (result.kind !== 'command') throw new Error(`${argv.join(' ')}: ${result.text}`)
  return result.command
}

describe('a command line becomes a command', () => {
  it.each<[string[], string, string[], object]>([
    [['record', 's', 'a', 'r'], 'record', ['s', 'a', 'r'], {}],
    [['record', 's', 'a', 'r', 'lead'], 'record', ['s', 'a', 'r', 'lead'], {}],
    [['record', 's', 'a', 'r', '--agent', 'codex'], 'record', ['s', 'a', 'r'], { agent: 'codex' }],
    [['record', 's', 'a', 'r', '--cwd=/w', '--policy', 'off'], 'record', ['s', 'a', 'r'], { cwd: '/w', policy: 'off' }],
    [['record', '--agent', 'x', 's', 'a', 'r', 'q'], 'record', ['s', 'a', 'r', 'q'], { agent: 'x' }],
    [['touch', '%3'], 'touch', ['%3'], {}],
    [['lookup', 'work:0.1'], 'lookup', ['work:0.1'], {}],
    [['lookup', '--', '--help'], 'lookup', ['--help'], {}],
    [['resume-cmd', 's'], 'resume-cmd', ['s'], {}],
    [['resume-cmd', 's', '60000'], 'resume-cmd', ['s', '60000'], {}],
    [['list'], 'list', [], {}],
    [['end', 's', '--reason', 'done with it'], 'end', ['s'], { reason: 'done with it' }],
    [['policy', 's', 'manual'], 'policy', ['s', 'manual'], {}],
    [['rename', 'a', 'b'], 'rename', ['a', 'b'], {}],
    [['forget', 's', '--yes'], 'forget', ['s'], { yes: true }],
    [['prune', '--max-age', '30d'], 'prune', [], { maxAge: 30 * 86_400_000 }],
    [['prune', '--max-age', '1.5h', '--yes'], 'prune', [], { maxAge: 5_400_000, yes: true }],
    [['prune', '--max-age', '0ms'], 'prune', [], { maxAge: 0 }],
    [['history'], 'history', [], {}],
    [['restore', '41'], 'restore', ['41'], {}],
    [['doctor'], 'doctor', [], {}],
    [['status'], 'status', [], { write: true }],
    [['status', '--watch'], 'status', [], { write: true, watch: true }],
    [['status', '--watch', '0.5', '--line'], 'status', [], { write: true, watch: 500, line: true }],
    [['status', '--no-write', '--socket', '/a', '/b'], 'status', [], { write: false, socket: ['/a', '/b'] }]
  ])('%j', (argv, name, args, options) => {
    expect(command(...argv)).toEqual({ name, args, options, path: undefined, json: false })
  })

  it.each([
    [['--path', 'f', '--json', 'list']],
    [['list', '--path', 'f', '--json']],
    [['--json', 'list', '--path=f']],
    [['--path', 'other', 'list', '--path', 'f', '--json']]
  ])('takes --path and --json before and after its name, the later word counts: %j', (argv) => {
    expect(command(...argv)).toMatchObject({ name: 'list', path: 'f', json: true })
  })

  it('leaves what looks like a number or a number of another kind as it is written', () => {
    expect(command('record', '007', '1e3', '0x10').args).toEqual(['007', '1e3', '0x10'])
  })
})

describe('a command line that is none says what is wrong in one line, and where the help is', () => {
  it.each<[string[], RegExp, RegExp]>([
    [['frobnicate'], /^unknown command 'frobnicate'$/, /`crash-resume-index --help`/],
    [['lst'], /^unknown command 'lst'$/, /Did you mean list\?/],
    [['record', 's'], /^missing required argument 'session'$/, /record --help/],
    [['record', 's', 'a', 'r', 'q', 'more'], /^too many arguments/, /record --help/],
    [['record', 's', 'a', 'r', '--colour'], /^unknown option '--colour'$/, /record --help/],
    [['record', 's', 'a', 'r', '--polcy', 'off'], /^unknown option '--polcy'$/, /Did you mean --policy\?/],
    [
      ['record', 's', 'a', 'r', '--policy', 'maybe'],
      /'maybe' is invalid\. Allowed choices are auto, manual, off\.$/,
      /record --help/
    ],
    [['record', 's', 'a', 'r', '--cwd', ''], /is invalid\. It is empty\.$/, /record --help/],
    [['record', 's', 'a', 'r', '--agent'], /^option '--agent <name>' argument missing$/, /record --help/],
    [['list', '--path', ''], /is invalid\. It is empty\.$/, /list --help/],
    [['status', '--watch', 'often'], /number of seconds from 0\.1 to 86400\.$/, /status --help/],
    [['status', '--watch', '0'], /number of seconds from 0\.1 to 86400\.$/, /status --help/],
    [['list', 'everything'], /^too many arguments/, /list --help/],
    [['prune'], /^required option '--max-age <span>' not specified$/, /prune --help/],
    [['prune', '--max-age', '30'], /such as 30d\.$/, /prune --help/],
    [['prune', '--max-age', '30x'], /such as 30d\.$/, /prune --help/],
    [['prune', '--max-age', '-3d'], /such as 30d\.$/, /prune --help/]
  ])('%j', (argv, text, advice) => {
    const result = parsed(...argv)
    if (result.kind !== 'usage') throw new Error(`it is ${result.kind}`)
    expect(result.text).toMatch(text)
    expect(result.text).not.toContain('\n')
    expect(result.advice).toMatch(advice)
  })

  it('shows the help where no command was given', () => {
    const result = parsed()
    expect(result).toMatchObject({ kind: 'text', asked: false })
    expect(result.kind === 'text' && result.text).toContain('Usage: crash-resume-index')
  })
})

describe('help and version', () => {
  it.each([[['--help']], [['-h']], [['help']]])('%j lists every command and the exit codes', (argv) => {
    const result = parsed(...argv)
    expect(result).toMatchObject({ kind: 'text', asked: true })
    for (const name of COMMAND_NAMES)
      expect(result.kind === 'text' && result.text).toMatch(new RegExp(`^  ${name} `, 'm'))
    expect(result.kind === 'text' && result.text).toContain('4 nothing to resume')
  })

  it.each(COMMAND_NAMES.map((name) => [name]))('%s has help with examples that parse', (name) => {
    for (const argv of [
      [name, '--help'],
      ['help', name]
    ]) {
      const result = parsed(...argv)
      if (result.kind !== 'text') throw new Error(`${argv.join(' ')} shows no help`)
      const examples = result.text
        .split('\n')
        .flatMap((line) => /^ {2}\$ crash-resume-index (.*)$/.exec(line)?.[1] ?? [])
      expect(examples).not.toEqual([])
      for (const line of examples) {
        const words = (line.split(/ [|<]/, 1)[0] ?? '').match(/"[^"]*"|\S+/g) ?? []
        const argv = words.map((word) => (word === '$$' ? '1' : word.replaceAll('"', '')))
        expect(parsed(...argv), line).toMatchObject({ kind: 'command', command: { name } })
      }
    }
  })

  it.each([[['--version']], [['-V']]])('%j', (argv) => {
    expect(parsed(...argv)).toEqual({ kind: 'text', text: `${VERSION}\n`, asked: true })
  })
})

describe('the quick parser', () => {
  const record = ['record', 's', 'a', 'r']
  const quick = [
    record,
    [...record, 'lead'],
    ['record', '--agent', 'codex', 's', 'a', 'r', '--cwd', '/w', '--policy=manual', '--path', 'f'],
    ['record', '--', '-s', 'a', 'r'],
    ['record', 's', '--', 'a', 'r', '--agent'],
    [...record, '--path=a=b', '--agent='],
    [...record, '--agent', 'one', '--agent', 'two'],
    ['record', '-', 'a', 'r'],
    ['touch', '%1'],
    ['touch', '--path=f', '%1'],
    ['hook', 'claude'],
    ['hook', 'claude', '--json', '--strict', '--path', 'f'],
    ['hook', 'codex', '{}']
  ]

  it.each(quick.map((argv) => [argv]))('%j means to it what it means to the full one', (argv) => {
    expect(quickCommand(argv)).toEqual(command(...argv))
  })

  it.each([
    [[]],
    [['list']],
    [['--path', 'f', ...record]],
    [['record', 's', 'a']],
    [[...record, 'lead', 'more']],
    [[...record, '--json']],
    [[...record, '--help']],
    [[...record, '--colour']],
    [[...record, '--agent']],
    [[...record, '--agent', '--cwd', '/w']],
    [[...record, '-a']],
    [['hook', 'claude', '--json=yes']],
    [[...record, '--policy', 'maybe']],
    [[...record, '--cwd', '']],
    [[...record, '--path', '']],
    [['touch']],
    [['touch', '%1', '%2']],
    [['touch', '%1', '--agent', 'codex']],
    [['touch', '%1', '--json']],
    [['hook']],
    [['hook', 'codex', '{}', 'more']]
  ])('leaves %j to the full one', (argv) => {
    expect(quickCommand(argv)).toBeNull()
  })
})
