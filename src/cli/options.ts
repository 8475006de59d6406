/** How the values of arguments and options are read, and the options that several commands share. */
import { InvalidArgumentError, Option } from 'commander'
import { AGENTS } from '../agents.js'
import { POLICIES } from '../core.js'

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000
}

/** Milliseconds in a span such as 30d; null: the text is not one. */
export function span(text: string): number | null {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text) ?? []
  const ms = UNITS[unit]
  return ms === undefined ? null : Number(number) * ms
}

export function spanOption(text: string): number {
  const ms = span(text)
  if (ms === null) throw new InvalidArgumentError('It must be a number with ms, s, m, h, d or w, such as 30d.')
  return ms
}

function numberFrom(text: string, form: RegExp, least: number, most: number, what: string): number {
  const number = Number(text)
  if (form.test(text) && number >= least && number <= most) return number
  throw new InvalidArgumentError(`It must be ${what}.`)
}

/** In ms. */
export function seconds(text: string): number {
  return 1000 * numberFrom(text, /^\d+(\.\d+)?$/, 0.1, 86_400, 'a number of seconds from 0.1 to 86400')
}

export function filled(text: string): string {
  if (text === '') throw new InvalidArgumentError('It is empty.')
  return text
}

const HOMES = Object.values(AGENTS).flatMap(({ homeVariables }) => homeVariables)

/** Each use of the option adds one. */
function variable(text: string, before: unknown): Readonly<Record<string, string>> {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  if (!HOMES.includes(name)) throw new InvalidArgumentError(`It must be name=value, with one of ${HOMES.join(', ')}.`)
  return { ...(before as Readonly<Record<string, string>> | undefined), [name]: value }
}

export function processId(text: string): number {
  return numberFrom(text, /^[0-9]+$/, 1, 4_194_304, 'a process id')
}

export function positive(text: string): number {
  return numberFrom(text, /^[0-9]{1,3}$/, 1, 999, 'a number from 1 to 999')
}

/** @param read checks and converts the value */
export const option = (flags: string, about: string, read?: (text: string, before: unknown) => unknown): Option => {
  const made = new Option(flags, about)
  return read === undefined ? made : made.argParser(read)
}
export const agent = (): Option =>
  option('--agent <name>', `name the agent program: ${Object.keys(AGENTS).slice(0, 3).join(', ')}, ...`)
export const cwd = (): Option => option('--cwd <folder>', 'name the folder that the agent starts in', filled)
export const variables = (): Option =>
  option('--env <variable>', 'keep a variable that says which account it is, as name=value', variable)
export const policy = (): Option => option('--policy <policy>', 'say whether it may be resumed').choices(POLICIES)
export const yes = (): Option => option('--yes', 'do it without asking')
export const owner = (): Option =>
  option(
    '--owner <pid>',
    'name the living process that will call settle; in a shell `--owner $$`',
    processId
  ).makeOptionMandatory()
export const evidence = (): Option[] => [
  option('--session <state>', 'say whether the session runs').choices(['running', 'not_running', 'unknown']),
  option('--transcript <state>', 'say whether its transcript exists').choices(['found', 'missing', 'unknown']),
  option('--surface-state <state>', 'say whether the surface is the same').choices(['same', 'recycled', 'unknown']),
  option('--task <state>', 'say whether its work is still wanted').choices(['open', 'closed', 'unknown']),
  option('--cwd-state <state>', 'say whether its launch folder exists').choices(['found', 'missing', 'unknown'])
]
