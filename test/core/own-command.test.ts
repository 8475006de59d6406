import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { type OwnCommand, ownCommand } from '../../src/core/own-command.js'

const HOSTILE = ["it's", '$(x)', '# x', 'a; b', 'a b', '`x`', '"', '-x', '--help', 'é日本🦊', '*', '~', '\\', '=a', '']

/** What a shell makes of a line, without the program's name. */
function words(line: string): readonly string[] {
  const script = line.replace('crash-resume-index', "printf '%s\\0'")
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

describe('a command line of ours', () => {
  it.each<[OwnCommand, string | undefined, string]>([
    [{ name: 'doctor' }, undefined, 'doctor'],
    [{ name: 'doctor' }, '/a b', "doctor --path '/a b'"],
    [{ name: 'hooks install', args: ['codex'] }, undefined, 'hooks install codex'],
    [{ name: 'forget', args: ['s'], options: { '--yes': true } }, undefined, 'forget s --yes'],
    [{ name: 'record', args: ['s', 'a', 'r'], options: { '--agent': undefined } }, undefined, 'record s a r'],
    [{ name: 'claim', args: ['s'], owned: true }, '/i', 'claim s --path /i --owner $$'],
    [{ name: 'claim', args: ['-s'], owned: true }, '/i', 'claim --path /i --owner $$ -- -s'],
    [{ name: 'recover', options: { '--only': '-s' } }, '-i', 'recover --only=-s --path=-i'],
    [{ name: 'run', args: ['codex'], options: { '--surface': '-s' } }, '/i', 'run --surface=-s --path /i -- codex'],
    [{ name: 'record', args: ['-s', { blank: 'session' }, 'r'] }, undefined, 'record -- -s <session> r'],
    [{ name: 'record', args: ['s', '<session>', 'r'] }, undefined, "record s '<session>' r"]
  ])('%j for the index %j', (command, path, line) => {
    expect(ownCommand(command, path)).toBe(`crash-resume-index ${line}`)
  })

  it('is read by a shell as it was meant, whatever the surface and the index are called', () => {
    for (const word of HOSTILE) {
      const option = word.startsWith('-') ? [`--only=${word}`] : ['--only', word]
      const path = word.startsWith('-') ? [`--path=${word}`] : ['--path', word]
      const line = ownCommand({ name: 'recover', options: { '--only': word } }, word)
      expect(words(line)).toEqual(['recover', ...option, ...path])
      expect(words(ownCommand({ name: 'run', args: [word] }, '/i'))).toEqual(['run', '--path', '/i', '--', word])
      expect(words(ownCommand({ name: 'why', args: [word] })).at(-1)).toBe(word)
    }
  })

  it('with a blank runs nothing', () => {
    const line = ownCommand({ name: 'record', args: ['s', { blank: 'session' }] }).replace('crash-resume-index', 'echo')
    expect(() => execFileSync('sh', ['-c', line], { cwd: '/', stdio: 'ignore' })).toThrow()
  })
})
