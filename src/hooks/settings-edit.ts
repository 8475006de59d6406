/**
 * Puts our command into the hooks of a settings text, and takes it out: `hooks.<event>` is a list of groups, each with
 * a list of commands. Every function gives the whole new text, with everything else as it was.
 * @throws SyntaxError where the text is no such settings
 */
import { isOurCommand } from './hook-command.js'
import { append, type JsonNode, member, parseJsonc, remove, replaceNode } from './jsonc.js'

interface OurHook {
  readonly groups: JsonNode
  readonly group: number
  readonly commands: JsonNode
  readonly command: number
  readonly node: JsonNode
}

/** The text with our command under this event, once, as it should be. */
export function withOurs(text: string, event: string, command: string, timeout: number): string {
  const wanted = { type: 'command', command, timeout }
  const [first, second] = ours(text, event)
  if (second !== undefined) return withOurs(takeOut(text, second), event, command, timeout)
  if (first !== undefined) {
    // What else a person set on it, such as the time, stays.
    const line = member(first.node, 'command')
    return line === undefined || line.text === command ? text : replaceNode(text, line, command)
  }
  const root = objectAt(parseJsonc(text), 'the file')
  const hooks = member(root, 'hooks')
  if (hooks === undefined) return append(text, root, { [event]: [{ hooks: [wanted] }] }, 'hooks')
  const groups = member(objectAt(hooks, 'hooks'), event)
  if (groups === undefined) return append(text, hooks, [{ hooks: [wanted] }], event)
  if (groups.kind !== 'array') throw new SyntaxError(`hooks.${event} is no list`)
  return append(text, groups, { hooks: [wanted] })
}

/** The text without any command of ours under this event, and without what is empty then. */
export function withoutOurs(text: string, event: string): string {
  const [first] = ours(text, event)
  return first === undefined ? text : withoutOurs(takeOut(text, first), event)
}

/** Takes one command of ours out, and what is empty without it. */
function takeOut(text: string, { groups, group, commands, command }: OurHook): string {
  if (commands.children.length > 1) return remove(text, commands, command)
  if (groups.children.length > 1) return remove(text, groups, group)
  const root = parseJsonc(text)
  const hooks = member(root, 'hooks')
  if (hooks === undefined) return text
  if (hooks.children.length > 1) return remove(text, hooks, indexOf(hooks, groups))
  return remove(text, root, indexOf(root, hooks))
}

function indexOf(container: JsonNode, value: JsonNode): number {
  return container.children.findIndex((child) => child.value.start === value.start)
}

/** Our commands under this event, as they stand there. */
export function ourCommands(text: string, event: string): readonly string[] {
  return ours(text, event).map(({ node }) => member(node, 'command')?.text ?? '')
}

/** Every command of ours under this event. */
function ours(text: string, event: string): OurHook[] {
  const hooks = member(objectAt(parseJsonc(text), 'the file'), 'hooks')
  const groups = hooks === undefined ? undefined : member(hooks, event)
  if (groups === undefined) return []
  return groups.children.flatMap((one, group) => {
    const commands = member(one.value, 'hooks')
    if (commands === undefined) return []
    return commands.children.flatMap(({ value: node }, command) => {
      const line = member(node, 'command')?.text
      return line !== undefined && isOurCommand(line) ? [{ groups, group, commands, command, node }] : []
    })
  })
}

function objectAt(node: JsonNode, what: string): JsonNode {
  if (node.kind === 'object') return node
  throw new SyntaxError(`${what} is no object`)
}
