/** What the fixture program `power-cut` reports: what was on the disk after each file operation of one record. */
export interface PowerCut {
  readonly cuts: readonly {
    readonly op: string
    readonly surfaces: readonly string[]
    readonly warnings: readonly string[]
  }[]
}
