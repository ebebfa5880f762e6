/** What the versions of XLIFF call their elements and attributes, for all that reads or writes one, and ids made of keys. */

/** How a version names what all of them have. */
export interface XliffNames {
  readonly namespace: string;
  /** The element with the languages, and its attributes. */
  readonly languagesOf: "xliff" | "file";
  readonly sourceLanguage: string;
  readonly targetLanguage: string;
  /** The attribute that tells the `<file>` elements of a document apart. */
  readonly file: string;
  /** The element of a `<file>` that has its units; where there is none, the `<file>` has them. */
  readonly body?: string;
  /** What may stand beside units and groups without being one. */
  readonly beside: readonly string[];
  readonly unit: string;
  /** The attribute of a unit that has its key; the id stands in for it. */
  readonly key: string;
  /** The element of a unit that has its notes; where there is none, the unit has them. */
  readonly notes?: string;
  /** The elements of a unit that have its texts, with their state; where there are none, the unit has them. */
  readonly segments?: readonly string[];
  /** The states of a text that is not finished. */
  readonly unfinished: RegExp;
}

const xliff1: XliffNames = {
  namespace: "urn:oasis:names:tc:xliff:document:1.2",
  languagesOf: "file",
  sourceLanguage: "source-language",
  targetLanguage: "target-language",
  file: "original",
  body: "body",
  beside: ["context-group", "count-group", "prop-group", "note"],
  unit: "trans-unit",
  key: "resname",
  unfinished: /^(?:new|needs-.*)$/,
};

const xliff2: XliffNames = {
  // All of 2.x but 2.2 have the namespace of 2.0.
  namespace: "urn:oasis:names:tc:xliff:document:2.0",
  languagesOf: "xliff",
  sourceLanguage: "srcLang",
  targetLanguage: "trgLang",
  file: "id",
  beside: ["skeleton", "notes"],
  unit: "unit",
  key: "name",
  notes: "notes",
  segments: ["segment", "ignorable"],
  unfinished: /^initial$/,
};

/** The names of a version, such as `2.1`; undefined where it is neither 1 nor 2. */
export function namesOfVersion(version: string): XliffNames | undefined {
  if (version.startsWith("1.")) return xliff1;
  return version.startsWith("2.") ? xliff2 : undefined;
}

/** The versions that are written for agencies. */
export const exchangeVersions = { "1.2": xliff1, "2.1": xliff2 } as const;

export type ExchangeVersion = keyof typeof exchangeVersions;

/** The versions that apps have as their own files. */
export const versionsOfApps: readonly string[] = ["1.2", "2.0", "2.1"];

/** The start of a document of such a version. */
export const startOfApps = new RegExp(
  String.raw`<xliff\b[^>]*\sversion=["'](?:${versionsOfApps.join("|").replaceAll(".", String.raw`\.`)})["']`,
);

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
