/** The names of git objects. This file imports nothing, so that everything may import it. */

declare const brand: unique symbol;
/** A value that was checked by the parser of its brand. */
export type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** The name of a git object: 40 lower-case hexadecimal digits. */
export type Oid = Branded<string, "Oid">;

export const oidPattern = /^[0-9a-f]{40}$/;

export function isOid(text: string): text is Oid {
  return oidPattern.test(text);
}
