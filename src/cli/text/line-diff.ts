/** What differs between two texts, line by line, for a person who wants to see a change before it is made. Pure. */

/** Lines kept around a change. */
const AROUND = 2

interface Line {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
}

/** The changed lines with a few around them, each marked as kept, taken out or added; empty where nothing differs. */
export function lineDiff(before: string, after: string): readonly string[] {
  const lines = compared(linesOf(before), linesOf(after))
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ mark }) => mark !== ' ')
  )
  return lines.flatMap(({ mark, text }, at) => {
    if (near[at]) return [`${mark} ${text}`]
    return near[at + 1] ? ['  …'] : []
  })
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/** By the longest common subsequence of what is between the common beginning and the common end. */
function compared(before: readonly string[], after: readonly string[]): readonly Line[] {
  const least = Math.min(before.length, after.length)
  let head = 0
  while (head < least && before[head] === after[head]) head++
  let tail = 0
  while (tail < least - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const kept = (text: string): Line => ({ mark: ' ', text })
  return [
    ...before.slice(0, head).map(kept),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(kept)
  ]
}

function middle(before: readonly string[], after: readonly string[]): readonly Line[] {
  // common[i][j]: how many lines the texts from i and from j have in common, in order.
  const common = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1))
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0
  for (let i = before.length - 1; i >= 0; i--) {
    const row = common[i]
    if (row === undefined) continue
    for (let j = after.length - 1; j >= 0; j--) {
      row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const [old = '', added = ''] = [before[i], after[j]]
    if (i < before.length && j < after.length && old === added) {
      lines.push({ mark: ' ', text: old })
      i++
      j++
    } else if (j < after.length && (i === before.length || at(i, j + 1) >= at(i + 1, j))) {
      lines.push({ mark: '+', text: added })
      j++
    } else {
      lines.push({ mark: '-', text: old })
      i++
    }
  }
  return lines
}
