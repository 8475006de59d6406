/** What a decision warns of. */

/** What is worth a look and stops nothing. */
export type DecisionWarning =
  | 'surface_recycled'
  | 'cwd_missing'
  | 'transcript_unknown'
  /** A recovery pass leaves it to a person, as with policy manual. */
  | 'transcript_shrunk'
  /** Its agent removes it by its age: soon, or it has. */
  | 'transcript_expires'
  | 'agent_hazard'

/** The warning `transcript_shrunk` in words. */
export const SHRUNK = 'its transcript is smaller than when it was last seen, or begins otherwise'
