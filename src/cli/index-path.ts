/** Which index a command is about: --path, else CRASH_RESUME_INDEX_PATH, else the default. */
import { defaultIndexPath } from '../index.js'

export function indexPath(given: string | undefined): string {
  return given || defaultIndexPath()
}
