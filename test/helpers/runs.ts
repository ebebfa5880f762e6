/**
 * How often a property is tried: as often as given while somebody waits for it, and much more often in `npm run soak`.
 * Each run draws other examples, so that many everyday runs find what one does not.
 */
export function runs(everyday: number): number {
  return process.env.SKEP_SOAK_ROUNDS === undefined ? everyday : everyday * 30;
}
