/** The common parts of XLIFF 1.2 and 2.1: their namespaces, ids made of keys, and characters that XML cannot hold. */

export type XliffVersion = "1.2" | "2.1";

export const namespaces: Readonly<Record<XliffVersion, string>> = {
  "1.2": "urn:oasis:names:tc:xliff:document:1.2",
  // All of 2.x but 2.2 have the namespace of 2.0.
  "2.1": "urn:oasis:names:tc:xliff:document:2.0",
};

/** The id of an element of XLIFF 1.2 that stands for such a character: ids come back, whatever else a tool changes. */
export const characterId = /^c[0-9]+-U([0-9A-F]{4})$/;

/**
 * Makes an id of a name that is an NMTOKEN, as XLIFF 2 wants it, and differs for each name. A key is found by it where
 * a tool has dropped the name.
 */
export function idOf(name: string): string {
  const id = name.replace(/[^A-Za-z0-9._:-]|_(?=x[0-9A-F]*_)/gu, (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `_x${hex.padStart(4, "0")}_`;
  });
  return id === "" ? "_x_" : id;
}

/** The name that {@link idOf} made an id of; any other id is a name itself. */
export function nameOf(id: string): string {
  return id.replace(/_x([0-9A-F]{4,6}|)_/g, (escape, hex: string) => {
    if (hex === "") return "";
    const code = Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : escape;
  });
}
