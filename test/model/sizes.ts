/** How much the exploration does: enough to catch every mutant, or far more with CRI_FULL=1. */
export const FULL: boolean = process.env['CRI_FULL'] === '1'

/** One seed to run again, with its steps printed; null: all of them. */
export const ONE_SEED: number | null = process.env['CRI_SEED'] === undefined ? null : Number(process.env['CRI_SEED'])
