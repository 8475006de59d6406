import { describe, expect, it } from 'vitest'
import { type KeepOptions, keepFlags, withheldFlags } from '../../src/agents/flags.js'
import type { AgentRow } from '../../src/agents/row.js'
import { AGENTS } from '../../src/agents/table.js'

/** As a shell would split it; no argument of these tests holds a blank, but for the quoted ones. */
function words(line: string): string[] {
  return (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''))
}

function kept(line: string, options: KeepOptions = {}): readonly string[] {
  const [agent = '', ...argv] = words(line)
  return keepFlags(AGENTS[agent] as AgentRow, argv, options)
}

function withheld(line: string): readonly string[] {
  const [agent = '', ...argv] = words(line)
  return withheldFlags(AGENTS[agent] as AgentRow, argv)
}

describe('what a resume keeps of a launch', () => {
  it.each([
    ['a boolean flag swallows no prompt', 'claude --verbose build --model opus', '--verbose --model opus'],
    ['a prompt goes, wherever it stands', "claude 'do it' --model opus 'and this'", '--model opus'],
    ['a joined value stays joined', 'claude --model=opus', '--model=opus'],
    ['a pattern is an argument like any other', 'claude --model claude-opus-4-6[1m]', '--model claude-opus-4-6[1m]'],
    ['the identity of the old session goes', 'claude --resume old --model opus', '--model opus'],
    ['also where it has no id', 'claude --resume --model opus', '--model opus'],
    ['also joined, short and pinned', 'claude --resume=old -r old -c --session-id old --fork-session --bg', ''],
    ['a worktree is not made again', 'claude -w --model opus', '--model opus'],
    ['a flag without its value is dropped', 'claude --verbose --model', '--verbose'],
    ['a value that looks like a flag is another flag', 'claude --model --verbose', '--verbose'],
    ['a boolean flag has no value', 'claude --verbose=yes', ''],
    ['a flag that is not known is dropped, with what follows', 'claude --unheard-of x --model opus', '--model opus'],
    ['a system prompt is a prompt', "claude --append-system-prompt 'be brief' --model opus", '--model opus'],
    ['after -- all is prompt', 'claude --verbose -- --model opus', '--verbose'],
    ['names of objects are no flags', 'claude constructor __proto__ toString', ''],
    ['a subcommand goes', 'codex resume old --model o3', '--model o3'],
    ['-p is a profile for codex', 'codex -p work fix', '-p work'],
    ['and a prompt for the others', "gemini -p 'fix it' -m pro", '-m pro'],
    ['an interactive prompt too', "copilot -i 'fix it' --model=x", '--model=x'],
    ['and one named so', "opencode --prompt 'fix it' -s ses_old --agent plan", '--agent plan']
  ])('%s', (_, line, result) => {
    expect(kept(line)).toEqual(words(result))
  })
})

describe('what holds the agent back', () => {
  it.each([
    'claude --permission-mode plan --setting-sources user --disallowedTools Bash Write --tools Read --add-dir /x',
    'claude --permission-mode=default',
    'codex --sandbox read-only -a untrusted',
    'gemini --approval-mode plan',
    'qwen --approval-mode default --exclude-tools Bash',
    "copilot --deny-tool 'shell(rm)' --mode plan --available-tools x"
  ])('comes back as it was: %s', (line) => {
    expect(kept(line)).toEqual(words(line).slice(1))
    expect(withheld(line)).toEqual([])
  })

  it.each([
    [
      'claude --dangerously-skip-permissions --permission-mode bypassPermissions',
      '--dangerously-skip-permissions --permission-mode=bypassPermissions'
    ],
    ['claude --permission-mode=acceptEdits --permission-mode plan', '--permission-mode=acceptEdits'],
    ['claude --settings /secret/x.json --allowedTools Bash --verbose prompt', '--settings --allowedTools'],
    ['codex --yolo --yolo -s danger-full-access -c a=b fix', '--yolo -s=danger-full-access -c'],
    ['claude -- --dangerously-skip-permissions', '']
  ])('and what loosens it is kept as a name alone: %s', (line, names) => {
    expect(withheld(line)).toEqual(words(names))
    for (const name of withheld(line)) expect(kept(line)).not.toContain(name)
  })
})

describe('permissions and settings', () => {
  it('never take a prompt along', () => {
    const line = 'claude --dangerously-skip-permissions build --model opus'
    expect(kept(line)).toEqual(['--model', 'opus'])
    expect(kept(line, { grants: true })).toEqual(['--dangerously-skip-permissions', '--model', 'opus'])
  })

  it('end, where they take many arguments, at the next flag', () => {
    const line = "claude --allowedTools Read 'Bash(git *)' --model opus"
    expect(kept(line, { grants: true })).toEqual(words(line).slice(1))
  })
})

describe('what the caller adds', () => {
  it('is kept with the arguments it says', () => {
    expect(kept('claude --new-flag x y --other', { also: { '--new-flag': 1, '--other': 0 } })).toEqual(
      words('--new-flag x --other')
    )
  })

  it('never brings an old identity back', () => {
    expect(kept('claude --resume old', { also: { '--resume': 1 } })).toEqual([])
  })
})
