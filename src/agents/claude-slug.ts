/**
 * The folder that Claude Code keeps a project's transcripts in, by the launch folder's real path.
 *
 * The rule was checked against the real program: 23 of 23 odd folders with 2.1.332. Versions 1.0.128 and 2.0.77 do not
 * shorten long names; 2.1.197 does. The encoding loses information (`/x/y`, `/x-y` and `/x_y` share a folder), so it is
 * never decoded.
 */
const LONGEST = 200

/**
 * The name of the folder in which Claude Code keeps the sessions of a launch folder.
 * @param cwd the launch folder, symbolic links resolved
 */
export function claudeProjectSlug(cwd: string): string {
  const slug = claudeProjectSlugUnshortened(cwd)
  return slug.length <= LONGEST ? slug : `${slug.slice(0, LONGEST)}-${Math.abs(hash31(cwd)).toString(36)}`
}

/** As versions before the shortening have it. */
export function claudeProjectSlugUnshortened(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]/g, '-')
}

/** Java's string hash, over UTF-16 units, as a signed 32-bit number. */
function hash31(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
  return hash
}
