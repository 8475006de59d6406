import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ACTORS, SURFACES, World } from './world.js'

/** Enough for some seconds; the full run takes minutes. */
const RUNS = process.env['CRI_FULL'] === '1' ? 40_000 : 1500

/** One step of somebody in the world; each does nothing where it cannot be done. */
class Step implements fc.Command<World, World> {
  readonly #name: string
  readonly #act: (world: World) => void

  constructor(name: string, act: (world: World) => void) {
    this.#name = name
    this.#act = act
  }

  check(): boolean {
    return true
  }

  run(_: World, world: World): void {
    this.#act(world)
  }

  toString(): string {
    return this.#name
  }
}

const which = fc.nat(7)
const actor = fc.constantFrom(...ACTORS)
const surface = fc.constantFrom(...SURFACES)
const yes = fc.boolean()
// Mostly all is told.
const bits = fc.oneof({ weight: 2, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.nat(0xffff) })
const step = <T extends readonly unknown[]>(
  name: string,
  args: { readonly [Key in keyof T]: fc.Arbitrary<T[Key]> },
  act: (world: World, ...values: T) => void
): fc.Arbitrary<Step> =>
  fc.tuple(...(args as fc.Arbitrary<unknown>[])).map(
    (values) =>
      new Step(`${name}(${values.map((value) => JSON.stringify(value)).join(', ')})`, (world) => {
        act(world, ...(values as unknown as T))
      })
  )

/** What makes sessions start, live, die and start again: the more so. */
const often: fc.Arbitrary<Step>[] = [
  step('look', [actor, surface, bits, yes], (world, a, s, b, capture) => world.look(a, s, { bits: b, capture })),
  step('look and reserve', [actor, surface, bits, yes], (world, a, s, b, capture) => {
    world.look(a, s, { bits: b, capture })
    world.reserve(a)
  }),
  step('reserve', [actor], (world, a) => world.reserve(a)),
  step('spawn', [actor], (world, a) => world.spawn(a)),
  step('reserve and spawn', [actor, surface, bits, yes], (world, a, s, b, capture) => {
    world.look(a, s, { bits: b, capture })
    world.reserve(a)
    world.spawn(a)
  }),
  step('settle ok', [actor, yes, yes], (world, a, proc, session) => world.settleOk(a, proc, session)),
  step('settle failed', [actor, fc.constantFrom('timeout', 'refused', 'other')], (world, a, kind) =>
    world.settleFailed(a, kind)
  ),
  step('hook', [which, yes], (world, w, told) => world.hook(w, told)),
  step('prompt', [which], (world, w) => world.prompt(w)),
  step('kill agent', [which], (world, w) => world.killAgent(w)),
  step('kill boss', [actor], (world, a) => world.killBoss(a)),
  step('pass', [fc.constantFrom(0, 1000, 61_000, 301_000, 3_700_000, -5000)], (world, ms) => world.pass(ms))
]

const seldom: fc.Arbitrary<Step>[] = [
  step('nested', [which], (world, w) => world.nested(w)),
  step('record', [which], (world, w) => world.record(w)),
  step('touch', [surface, yes], (world, s, told) => world.touch(s, told)),
  step('clear', [which], (world, w) => world.change(w, null)),
  step('resume inside', [which, which], (world, w, to) => world.change(w, to)),
  step('by hand', [surface], (world, s) => world.byHand(s, null)),
  step('resume by hand', [surface, which], (world, s, to) => world.byHand(s, to)),
  step('lose transcript', [which], (world, w) => world.lose(w)),
  step('reboot', [], (world) => world.reboot()),
  step('end', [surface], (world, s) => world.end(s)),
  step('forget', [surface], (world, s) => world.forget(s)),
  step('prune', [fc.constantFrom(0, 600_000)], (world, ms) => world.prune(ms)),
  step('policy', [surface], (world, s) => world.policy(s)),
  step('begin', [actor, surface], (world, a, s) => world.begin(a, s)),
  step('finish', [surface], (world, s) => world.finish(s))
]

it('of a session no second process is started, whoever does what, and dies when', () => {
  const total: Record<string, number> = {}
  fc.assert(
    fc.property(
      fc.commands([...often, ...often, ...often, ...seldom], { maxCommands: 100, size: 'max' }),
      (commands) => {
        const world = new World()
        fc.modelRun(() => ({ model: world, real: world }), commands)
        for (const [what, count] of Object.entries(world.counts)) total[what] = (total[what] ?? 0) + count
      }
    ),
    { numRuns: RUNS }
  )
  // The walk must have been where it is dangerous.
  for (const what of [
    'spawned',
    'resume ok',
    'fresh never_started',
    'refuse claimed',
    'ERR_CONFLICT',
    'moved',
    'rotated'
  ]) {
    expect(total[what], what).toBeGreaterThan(RUNS / 50)
  }
  for (const what of ['resume ok_from_previous', 'resume ok_from_transcript', 'nested']) {
    expect(total[what], what).toBeGreaterThan(0)
  }
})
