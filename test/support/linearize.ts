/**
 * Is a concurrent history of claims as good as one in which each operation happened at one moment between its begin
 * and its end? Searches for such an order (after Wing and Gong). The thing itself is one word: who holds the attempt.
 */

/** Times are of one clock. An operation whose process was killed has no end: it may have happened, or not. */
export interface Operation {
  /** The process that acts; for `kill` the one that dies. */
  readonly pid: number
  readonly began: number
  readonly ended: number | null
  readonly what: /** Got the attempt. */
    | { readonly kind: 'claimed' }
    /** Was refused in the name of this process. */
    | { readonly kind: 'refused'; readonly owner: number }
    | { readonly kind: 'settled' }
    /** Somebody read who holds the attempt; 0: nobody. */
    | { readonly kind: 'read'; readonly owner: number }
    | { readonly kind: 'kill' }
    /** A gate, or a settle, that was cut short. */
    | { readonly kind: 'gate cut' | 'settle cut' }
}

interface State {
  /** 0: nobody. */
  readonly holder: number
  readonly dead: ReadonlySet<number>
}

/** @returns an order of the history, as places in it; null: there is none */
export function linearize(history: readonly Operation[]): readonly number[] | null {
  const tried = new Set<string>()
  const order: number[] = []
  const done = history.map(() => false)

  const search = (state: State): boolean => {
    const left = [...history.keys()].filter((place) => !done[place])
    // What was cut short need not have happened.
    if (left.every((place) => history[place]?.ended === null)) return true
    const key = `${left.join(' ')}|${state.holder}`
    if (tried.has(key)) return false
    tried.add(key)
    const limit = Math.min(...left.map((place) => history[place]?.ended ?? Number.POSITIVE_INFINITY))
    for (const place of left) {
      const operation = history[place] as Operation
      const next = operation.began > limit ? null : after(state, operation)
      if (next === null) continue
      done[place] = true
      order.push(place)
      if (search(next)) return true
      order.pop()
      done[place] = false
    }
    return false
  }

  return search({ holder: 0, dead: new Set() }) ? order : null
}

/** Null: it cannot have happened in this state. */
function after(state: State, { pid, what }: Operation): State | null {
  const { holder, dead } = state
  switch (what.kind) {
    case 'claimed':
    case 'gate cut':
      return dead.has(pid) || (holder !== 0 && !dead.has(holder)) ? null : { ...state, holder: pid }
    case 'settled':
    case 'settle cut':
      return !dead.has(pid) && holder === pid ? { ...state, holder: 0 } : null
    case 'refused':
      // That its owner lived was seen before or after, and is told apart by the caller.
      return holder === what.owner ? state : null
    case 'read':
      return holder === what.owner ? state : null
    case 'kill':
      return { ...state, dead: new Set([...dead, pid]) }
  }
}
