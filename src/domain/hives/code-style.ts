/** How teams write the codes of locales. */

/**
 * Finds how codes with a region or a script are written: `pt_BR`, `pt-br`, or as BCP 47 has them.
 * @param codes those that are there; what all of them have in common counts.
 * @returns writes a canonical code like these.
 */
export function codesWrittenLike(codes: readonly string[]): (code: string) => string {
  const parted = codes.filter((code) => /[-_]/.test(code));
  if (parted.length === 0) return (code) => code;
  const hasLines = parted.every((code) => /^[^-]+_[^-]+$/.test(code));
  const isLower = parted.every((code) => code === code.toLowerCase());
  return (code) => {
    const own = hasLines ? code.replaceAll("-", "_") : code;
    return isLower ? own.toLowerCase() : own;
  };
}
