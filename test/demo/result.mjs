/** What came of it: each surface before and after, and whether that is right. */
import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

/** A row for each pane: what it had, what came back, and whether that is the same in every respect. */
export function judge(panes, came) {
  return panes.map(({ surface, sessionId, prompts }) => {
    const report = came.get(surface)
    const remembered = (report?.turns ?? []).filter((turn, at) => turn === prompts[at]).length
    const right =
      report?.start === 'resumed' &&
      report.hook === 0 &&
      report.sessionId === sessionId &&
      isDeepStrictEqual(report.turns, prompts)
    return { surface, sessionId, came: nameOf(report), turns: `${remembered} of ${prompts.length}`, right }
  })
}

/** For how many of the panes the newest transcript in their folder is their own. */
export function newestWouldBeRight(panes) {
  return panes.filter(({ transcript }) => transcript === newestIn(dirname(transcript))).length
}

export function table(rows) {
  const head = ['surface', 'session before', 'session after', 'turns remembered']
  const lines = rows.map((row) => [row.surface, row.sessionId, row.came, row.turns, row.right ? '' : '<- wrong'])
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column].length)))
  return [head, ...lines]
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}

function nameOf(report) {
  if (report === undefined) return 'nothing to resume'
  return { resumed: '', fresh: 'fresh: ', failed: 'failed: ', silent: 'no answer' }[report.start] + report.sessionId
}

function newestIn(folder) {
  const times = readdirSync(folder).map((name) => {
    const path = join(folder, name)
    return { path, time: statSync(path, { bigint: true }).mtimeNs }
  })
  return times.sort((a, b) => (a.time < b.time ? 1 : -1))[0]?.path
}
