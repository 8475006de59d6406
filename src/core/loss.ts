/**
 * An index that lost entries remembers that it did, so that what it lacks is not taken for what never was; a person
 * answers by restoring what was kept, or by accepting the loss.
 */
import { INCOMPLETE_FIELD, type Index } from './schema.js'

/** The index without the memory of a loss; itself where it has none. */
export function answerLoss(index: Index): Index {
  if (index.extra === undefined || !Object.hasOwn(index.extra, INCOMPLETE_FIELD)) return index
  const { extra, ...rest } = index
  const left = Object.assign(Object.create(null), extra)
  delete left[INCOMPLETE_FIELD]
  return Object.keys(left).length === 0 ? rest : { ...rest, extra: left }
}
