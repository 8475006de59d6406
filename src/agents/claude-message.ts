/**
 * A first message for an interactive Claude Code, which is also what an entry without an agent is resumed with.
 *
 * A message that is the name of a subcommand runs the subcommand, even behind `--resume <id>` and behind `--` (seen
 * with 2.1.332: `claude --resume <id> mcp` prints the help of mcp). A blank before it makes it a message.
 */

/** The message as an argument. */
export function claudeMessage(prompt: string): string {
  return /^\S+$/.test(prompt) ? ` ${prompt}` : prompt
}
