/** The values of options, checked while they are parsed. */
import { InvalidArgumentError } from 'commander'
import { span } from './text/span.js'

export function spanOption(text: string): number {
  const ms = span(text)
  if (ms === null) throw new InvalidArgumentError('It must be a number with ms, s, m, h, d or w, such as 30d.')
  return ms
}

/** In ms. */
export function seconds(text: string): number {
  const number = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || number < 0.1 || number > 86_400) {
    throw new InvalidArgumentError('It must be a number of seconds from 0.1 to 86400.')
  }
  return number * 1000
}

/** For what cannot be nothing. */
export function filled(text: string): string {
  if (text === '') throw new InvalidArgumentError('It is empty.')
  return text
}

export function processId(text: string): number {
  const pid = Number(text)
  if (!/^[0-9]+$/.test(text) || pid < 1 || pid > 4_194_304) throw new InvalidArgumentError('It must be a process id.')
  return pid
}

export function positive(text: string): number {
  const number = Number(text)
  if (!/^[0-9]{1,3}$/.test(text) || number < 1) throw new InvalidArgumentError('It must be a number from 1 to 999.')
  return number
}
