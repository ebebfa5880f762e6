/** What in an app's tree shows which locale its source texts are in. */
import { join } from "node:path";
import { groupBy } from "../../domain/group-by.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { formatOfPath } from "../../formats/formats.ts";
import { canonicalCode } from "./language-code.ts";
import { statInside, readGiven } from "./files.ts";
import { baseCode, languageOf, noCode, type Candidate } from "./proposed-source.ts";

/** The source locale, with what shows that it is that one. */
export interface SourceEvidence {
  readonly code: string;
  /** Follows "because". */
  readonly reason: string;
}

const quoted = String.raw`["']([A-Za-z][\w-]*)["']`;
const ofConfig = new RegExp(String.raw`\b(?:defaultLocale|sourceLocale|sourceLanguage)["']?\s*:\s*${quoted}`);

/** Settings of frameworks and of other tools that name the source locale, and the code in them. */
const settings: Readonly<Record<string, RegExp>> = {
  "l10n.yaml": /^template-arb-file:\s*["']?(?:[A-Za-z\d]+_)*?([a-z]{2,3}(?:_[A-Z]\w*)*)\.arb/m,
  "angular.json": new RegExp(String.raw`"sourceLocale"\s*:\s*(?:\{[^}]*?"code"\s*:\s*)?${quoted}`),
  "project.inlang/settings.json": new RegExp(String.raw`"(?:baseLocale|sourceLanguageTag)"\s*:\s*${quoted}`),
  ".tx/config": /^\s*source_lang\s*=\s*([A-Za-z][\w-]*)/m,
  "config/application.rb": /^[^#\n]*\bdefault_locale\s*=\s*[:"']+([A-Za-z][\w-]*)/m,
  "config/app.php": new RegExp(String.raw`['"]fallback_locale['"]\s*=>\s*(?:env\([^,)]*,\s*)?${quoted}`),
  ...Object.fromEntries(
    ["docusaurus", "next", "next-i18next", "nuxt", "astro", "lingui"].flatMap((name) =>
      ["js", "mjs", "cjs", "ts"].map((ending) => [`${name}.config.${ending}`, ofConfig]),
    ),
  ),
};

type Declaration = readonly [name: string, expression: RegExp];

/** How files of a format name the language of their source texts: each way that there is. */
const declarations: Readonly<Record<string, readonly Declaration[]>> = {
  xliff: [
    ["source-language", /<file\b[^>]*?\ssource-language\s*=\s*["']([^"']+)["']/],
    ["srcLang", /<xliff\b[^>]*?\ssrcLang\s*=\s*["']([^"']+)["']/],
  ],
  qt: [["sourcelanguage", /<TS\b[^>]*?\ssourcelanguage\s*=\s*["']([^"']+)["']/]],
  xcstrings: [["sourceLanguage", /"sourceLanguage"\s*:\s*"([^"]+)"/]],
  csv: [
    [
      // English, or else the first language of a table.
      "a column",
      /^(?:"?(?=en"?[,;\t])|[^\r\n]*?[,;\t]"?(?=en"?(?:[,;\t\r\n]|$))|[^,;\t\r\n]*[,;\t]"?)([A-Za-z][\w-]*)/,
    ],
  ],
};

/** Codes that programs have for joke and test versions of English. */
const noRealEnglish = /^en[-_](?:ud|pt|ws|xa|xb)$|@/i;

/** The first files that are read for what they say. */
const maxRead = 50;

/** @returns undefined where nothing in the tree shows which one it is. */
export async function sourceEvidence(
  folder: string,
  candidates: readonly Candidate[],
): Promise<SourceEvidence | undefined> {
  return (
    (await inSettings(folder, candidates)) ??
    (await inFiles(folder, candidates)) ??
    marked(candidates) ??
    (await ofBases(folder, candidates)) ??
    (await ofEnglish(folder, candidates)) ??
    (await ofMsgids(folder, candidates)) ??
    onlyOne(candidates)
  );
}

async function inSettings(
  folder: string,
  candidates: readonly Candidate[],
): Promise<SourceEvidence | undefined> {
  const extensions = candidates.flatMap(({ file }) => {
    const at = file.indexOf("_locales/");
    return at === -1 ? [] : `${file.slice(0, at)}manifest.json`;
  });
  const inManifest = new RegExp(String.raw`"default_locale"\s*:\s*${quoted}`);
  const places = [...new Set(extensions)].map((path) => [path, inManifest] as const);
  const languages = new Set(candidates.map(({ code }) => languageOf(code)));
  for (const [path, expression] of [...places, ...Object.entries(settings)]) {
    const [, code] = expression.exec((await textIn(folder, path)) ?? "") ?? [];
    if (code === undefined || !(languages.has(languageOf(code)) || languages.has(noCode))) continue;
    return { code: codeLike(code, candidates), reason: `${path} names it` };
  }
  return undefined;
}

/** A code as the files write it: `en_US` for `en-US`. */
function codeLike(code: string, candidates: readonly Candidate[]): string {
  const canonical = canonicalCode(code);
  const codes = candidates.map((candidate) => candidate.code);
  return codes.includes(code) ? code : (codes.find((own) => canonicalCode(own) === canonical) ?? code);
}

async function inFiles(
  folder: string,
  candidates: readonly Candidate[],
): Promise<SourceEvidence | undefined> {
  const found: { readonly code: string; readonly name: string; readonly file: string }[] = [];
  for (const { file } of candidates.filter(hasDeclaration).slice(0, maxRead)) {
    const text = (await textIn(folder, file)) ?? "";
    for (const [name, expression] of declarations[formatOfPath(file)?.name ?? ""] ?? []) {
      const [, code] = expression.exec(text) ?? [];
      if (code !== undefined && canonicalCode(code) !== undefined) found.push({ code, name, file });
    }
  }
  const [most] = [...groupBy(found, ({ code }) => code)].toSorted(([, a], [, b]) => b.length - a.length);
  const [first] = most?.[1] ?? [];
  return first && { code: codeLike(first.code, candidates), reason: `${first.name} of ${first.file} is it` };
}

function hasDeclaration({ file }: Candidate): boolean {
  return declarations[formatOfPath(file)?.name ?? ""] !== undefined;
}

function marked(candidates: readonly Candidate[]): SourceEvidence | undefined {
  for (const { file, source } of candidates) {
    const [, code] = /(?:^|\/)([A-Za-z][\w-]*)\.default\.[^/]*$/.exec(file) ?? [];
    if (code !== undefined && source === file) return { code, reason: `${file} is called the default` };
  }
  return undefined;
}

/**
 * Files without a code are the source files; their texts tell whether that is English, as it mostly is. The file with the
 * most translations tells first: one without any may have placeholders, or texts that nobody reads.
 */
async function ofBases(
  folder: string,
  candidates: readonly Candidate[],
): Promise<SourceEvidence | undefined> {
  const byPath = groupBy(candidates, ({ path }) => path);
  const translations = ({ path }: Candidate): number => byPath.get(path)?.length ?? 0;
  const bases = candidates
    .filter(({ code }) => code === noCode || code === baseCode)
    .toSorted((a, b) => translations(b) - translations(a));
  const [first] = bases;
  if (first === undefined) return undefined;
  for (const { file } of bases.slice(0, maxRead)) {
    const isEnglish = await readsAsEnglish(folder, file);
    if (isEnglish === true) return { code: "en", reason: `${file} has no code, and its texts are English` };
    if (isEnglish === false) return undefined;
  }
  return { code: "en", reason: `${first.file} has no code, which mostly means English` };
}

/** The usual codes of English, the most usual one first. */
const usualEnglish = ["en", "en-US"];
/**
 * The part of the keys of another kind of English that `en` must have to come before it: a translation may still have keys
 * that the source files have no longer.
 */
const enoughKeys = 0.9;

/** The code of English with the most files; of those, the one with the most keys; of those, the usual one. */
async function ofEnglish(
  folder: string,
  candidates: readonly Candidate[],
): Promise<SourceEvidence | undefined> {
  const isUsual = (code: string): boolean => usualEnglish.includes(canonicalCode(code) ?? "");
  // Gettext's files of a region are translations of the msgids.
  const english = candidates.filter(
    ({ code, file }) =>
      isUsual(code) || (/^en[-_@]/.test(code) && !noRealEnglish.test(code) && !file.endsWith(".po")),
  );
  const kinds = [...groupBy(english, ({ code }) => canonicalCode(code) ?? code)];
  const most = Math.max(...kinds.map(([, own]) => own.length));
  const largest = kinds.filter(([, own]) => own.length === most);
  const fullest = largest.length > 1 ? await withMostKeys(folder, largest) : largest;
  const usual = usualEnglish.map((code) => fullest.find(([own]) => own === code)?.[1]);
  const own =
    usual.find((files) => files !== undefined) ?? (fullest.length === 1 ? fullest[0]?.[1] : undefined);
  if (own === undefined) return undefined;
  const writings = [...groupBy(own, ({ code }) => code)].toSorted(([, a], [, b]) => b.length - a.length);
  const [[code, [first]] = ["en", []]] = writings;
  const there = isUsual(code) ? "is there" : "is the only one in English";
  const isChosen = kinds.length > 1 && fullest.length === 1;
  const what = largest.length === 1 ? "files" : "keys";
  return {
    code,
    reason: isChosen ? `of the codes of English, it has the most ${what}` : `${first?.file} ${there}`,
  };
}

/** Of kinds of English, those whose files have the most keys; all where these cannot be counted. */
async function withMostKeys<K extends readonly [code: string, files: readonly Candidate[]]>(
  folder: string,
  kinds: readonly K[],
): Promise<readonly K[]> {
  const counts = new Map<K, number>();
  for (const kind of kinds) {
    let count = 0;
    for (const { file, code } of kind[1].slice(0, maxRead)) {
      const keys = (await textsIn(folder, file, code))?.size;
      if (keys === undefined) return kinds;
      count += keys;
    }
    counts.set(kind, count);
  }
  const most = Math.max(...counts.values());
  return kinds.filter((kind) => (counts.get(kind) ?? 0) >= (kind[0] === "en" ? most * enoughKeys : most));
}

/** Gettext's files need no file of the source locale: it is the language of the msgids. */
async function ofMsgids(
  folder: string,
  candidates: readonly Candidate[],
): Promise<SourceEvidence | undefined> {
  const first = candidates.find(({ file }) => file.endsWith(".po"));
  if (first === undefined) return undefined;
  const isEnglish = await readsAsEnglish(folder, first.file);
  return isEnglish === true ? { code: "en", reason: `the msgids of ${first.file} are English` } : undefined;
}

function onlyOne(candidates: readonly Candidate[]): SourceEvidence | undefined {
  const [first] = candidates;
  const isOnly = candidates.every(({ code }) => code === first?.code);
  return first !== undefined && isOnly
    ? { code: first.code, reason: "there are files in no other locale" }
    : undefined;
}

/** Words that are frequent in English, and that no other language with Latin letters has often. */
const frequent = new Set(
  "the of and to you your this with is are be from has can cannot not please".split(" "),
);
/** The fewest words that tell a language. */
const minWords = 40;

/** Whether the texts of a source file are English; undefined where they are too few. */
async function readsAsEnglish(folder: string, file: string): Promise<boolean | undefined> {
  const read = await textsIn(folder, file, "en");
  if (read === undefined) return undefined;
  const texts = [...(file.endsWith(".po") ? read.keys() : read.values())];
  const words = texts.flatMap((one) => one.toLowerCase().match(/\p{L}+/gu) ?? []);
  if (words.length < minWords) return undefined;
  return words.filter((word) => frequent.has(word)).length / words.length > 0.03;
}

/** The texts of a source file of a tree, by their keys; undefined where it cannot be read. */
export async function textsIn(folder: string, file: string, locale: string): Promise<Texts | undefined> {
  const format = await formatOfPath(file)?.load();
  const text = await textIn(folder, file);
  try {
    return text === undefined
      ? undefined
      : format?.parse(Buffer.from(text), { locale, sourceLocale: locale }).texts;
  } catch {
    return undefined;
  }
}

async function textIn(folder: string, path: string): Promise<string | undefined> {
  try {
    if (statInside(folder, path) === undefined) return undefined;
    return (await readGiven(join(folder, path))).toString();
  } catch {
    // A file that cannot be read shows nothing.
    return undefined;
  }
}
