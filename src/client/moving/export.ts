/** `skep export`: writes all that a Hive has into a folder, in formats that other programs read. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { groupBy } from "../../domain/group-by.ts";
import { fileNameProblem, isFileName, storedPath } from "../../domain/names.ts";
import { noteLines } from "../../domain/notes/note-lines.ts";
import { writeXliff } from "../../formats/exchange/xliff-write.ts";
import type { ExchangeUnit } from "../../formats/exchange/unit.ts";
import { exportPaths, type ExportIndex } from "./skep-export.ts";
import { writeTmx, type WrittenUnit } from "../../formats/moving/tmx.ts";
import { ClientError, unreadable } from "../api/client-error.ts";
import type { HiveApi, HiveLocale, HiveLocales, HiveTexts } from "../api/hive-api.ts";
import { toStringNotes } from "../api/string-answers.ts";
import type { UntranslatedText } from "../api/translations-api.ts";
import { planPull } from "../pull.ts";
import { readTree } from "../read-tree.ts";
import type { HiveReport, Project } from "../project.ts";
import { addressOf } from "../texts.ts";
import { hasCode, readLocal } from "../tree/files.ts";
import { exportTerms } from "../tree/term-files.ts";

export interface ExportReport extends HiveReport {
  readonly folder: string;
  readonly commit: string;
  /** How many files were written. */
  readonly files: number;
  /** How many of these are in the app's own formats. */
  readonly ofApp: number;
  readonly locales: number;
  readonly strings: number;
  readonly notes: number;
  readonly pictures: number;
}

type WrittenFile = readonly [path: string, content: string | Uint8Array];

/** What an export has gathered so far, for its progress and its report. */
interface Tally {
  strings: number;
  notes: number;
  pictures: number;
  ofApp: number;
}

/**
 * Writes an export into a folder.
 * @param project of the app, for its own formats; undefined where there is no `skep.yaml`.
 * @throws ClientError `misuse` when the folder is there and has something in it.
 */
export async function exportHive(
  hive: HiveApi,
  project: Project | undefined,
  path: string,
  progress: (message: string) => void,
): Promise<ExportReport> {
  const folder = resolve(path);
  await requireEmpty(folder, path);
  const commit = await hive.head();
  const locales = await hive.locales();
  const tally: Tally = { strings: 0, notes: 0, pictures: 0, ofApp: 0 };
  let files = 0;
  for await (const [name, content] of exportedFiles(hive, project, { locales, commit, tally, progress })) {
    const target = join(folder, name);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content, { flag: "wx" });
    files++;
  }
  const report = { hive: hive.slug, branch: hive.branch ?? null, folder, commit, files, ...tally };
  return { ...report, locales: locales.targets.length };
}

async function requireEmpty(folder: string, path: string): Promise<void> {
  try {
    if ((await readdir(folder)).length === 0) return;
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return;
    throw unreadable("misuse", path, cause);
  }
  throw new ClientError("misuse", `${path} is not empty: an export is written into a new folder.`);
}

interface Exporting {
  readonly locales: HiveLocales;
  readonly commit: string;
  readonly tally: Tally;
  readonly progress: (message: string) => void;
}

/** The files of an export, the index last. */
async function* exportedFiles(
  hive: HiveApi,
  project: Project | undefined,
  { locales, commit, tally, progress }: Exporting,
): AsyncGenerator<WrittenFile> {
  const { source, targets } = locales;
  const { data: strings } = await hive.texts(source.code, commit);
  const names = [...strings.keys()].filter((name) => isFileName(name));
  tally.strings = [...strings.values()].reduce((sum, { size }) => sum + size, 0);
  for (const { code } of [source, ...targets]) {
    progress(`Exporting ${code}`);
    for (const [name, content] of await hive.nestedFiles(code, commit))
      if (isFileName(name)) yield [`${exportPaths.json}/${code}/${storedPath(name)}`, content];
  }
  const { data: noted } = await hive.noteList({ file: undefined, tag: undefined });
  tally.notes = noted.length;
  const notes = new Map(noted.map((one) => [addressOf(one), noteLines(toStringNotes(one))]));
  const units = new Map<string, MemoryEntry>();
  for (const locale of targets) {
    const state = await stateOf(hive, locale, commit);
    remember(units, locale, strings, state.texts);
    const document = { sourceLocale: source.canonical, targetLocale: locale.canonical };
    const own = unitsOf(strings, state, notes);
    yield [`${exportPaths.xliff}/${locale.code}.xlf`, writeXliff({ ...document, units: own })];
  }
  yield [exportPaths.memory, writeTmx(units.values(), source.canonical)];
  yield [exportPaths.terms, await exportTerms(hive, "tbx")];
  yield [exportPaths.notes, toJson(noted)];
  yield ["comments.json", toJson(await hive.comments())];
  for (const { code } of targets) {
    const { text } = await hive.glossary.style(code);
    if (text !== "") yield [`styles/${code}.md`, `${text.trimEnd()}\n`];
  }
  yield* exportedPictures(hive, tally, progress);
  if (project !== undefined) yield* filesOfApp(project, locales, tally);
  const index: ExportIndex = {
    version: 1,
    hive: hive.slug,
    commit,
    source: source.code,
    locales: targets.map(({ code }) => code),
    files: names,
  };
  yield [exportPaths.index, toJson(index)];
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** What a locale has at a commit. */
interface LocaleState {
  readonly texts: HiveTexts;
  /** Missing and stale translations, by address. */
  readonly open: ReadonlyMap<string, UntranslatedText>;
  /** The addresses of the texts that wait for a review. */
  readonly waiting: ReadonlySet<string>;
}

async function stateOf(hive: HiveApi, { code }: HiveLocale, commit: string): Promise<LocaleState> {
  const { data: texts } = await hive.texts(code, commit);
  const { data } = await hive.untranslated(code, { revision: commit });
  const waiting = await hive.review.list(code);
  return {
    texts,
    open: new Map(data.map((text) => [addressOf(text), text])),
    waiting: new Set(waiting.map(addressOf)),
  };
}

/** The texts of a locale with their states: all strings that it has or needs, and the plural forms that only it has. */
function unitsOf(
  strings: HiveTexts,
  { texts, open, waiting }: LocaleState,
  notes: ReadonlyMap<string, readonly string[]>,
): readonly ExchangeUnit[] {
  const openIn = groupBy([...open.values()], ({ file }) => file);
  const units: ExchangeUnit[] = [];
  for (const [file, source] of strings) {
    const own = texts.get(file);
    const needed = (openIn.get(file) ?? []).map(({ key }) => key);
    for (const key of new Set([...source.keys(), ...(own?.keys() ?? []), ...needed])) {
      const address = addressOf({ file, key });
      const left = open.get(address);
      const translation = own?.get(key);
      if (translation === undefined && left === undefined) continue;
      const lacks = left?.state === "stale" ? "stale" : "missing";
      const state = waiting.has(address) ? "waiting" : left === undefined ? "approved" : lacks;
      units.push({
        file,
        key,
        source: source.get(key) ?? left?.source_value ?? "",
        translation,
        state,
        notes: [
          ...(notes.get(address) ?? []),
          ...(left?.old_source_value ? [`The translation was made for: ${left.old_source_value}`] : []),
        ],
      });
    }
  }
  return units;
}

/** A unit of the memory while locales are added to it. */
interface MemoryEntry extends WrittenUnit {
  readonly texts: Map<string, string>;
}

function remember(
  units: Map<string, MemoryEntry>,
  { canonical }: HiveLocale,
  strings: HiveTexts,
  texts: HiveTexts,
): void {
  for (const [file, own] of texts) {
    for (const [key, text] of own) {
      const source = strings.get(file)?.get(key);
      if (source === undefined || source === "" || text === "") continue;
      const id = addressOf({ file, key });
      const unit = units.get(id) ?? { id: `${file}:${key}`, source, texts: new Map() };
      units.set(id, unit);
      unit.texts.set(canonical, text);
    }
  }
}

/** The images, and a list of them as `skep picture create --list` takes it. */
async function* exportedPictures(
  hive: HiveApi,
  tally: Tally,
  progress: (message: string) => void,
): AsyncGenerator<WrittenFile> {
  const pictures = await hive.pictures.list();
  const list: object[] = [];
  for (const { hash, name, strings, boxes } of pictures) {
    progress(`Exporting ${name}`);
    const isFit = fileNameProblem(name) === undefined && !name.includes("/");
    const file = `${hash.replaceAll(/[^0-9a-f]/g, "").slice(0, 16)}/${isFit ? name : "picture"}`;
    yield [`${exportPaths.pictures}/${file}`, await hive.pictures.image(hash)];
    list.push({ file, strings, boxes });
  }
  tally.pictures = list.length;
  yield [exportPaths.pictureList, toJson(list)];
}

/** The app's own files, as a pull would make them, and its source files as they are. */
async function* filesOfApp(
  project: Project,
  locales: HiveLocales,
  tally: Tally,
): AsyncGenerator<WrittenFile> {
  const { folder } = project.config;
  const options = { allowEmpty: true, strict: false };
  const content = await readTree(project, locales, locales.targets, options);
  const { report, writes } = await planPull(project, content, locales.targets, {
    ...options,
    pseudo: false,
    approved: false,
    missing: "leave",
    prune: false,
    keep: "theirs",
    dryRun: true,
  });
  const made = new Map<string, Uint8Array>();
  for (const { file, read } of content.sources) made.set(file.source.path, read.bytes);
  for (const { path } of report.files) {
    const written = writes.find((write) => write.path === path)?.bytes;
    const bytes = written ?? (await readLocal(folder, { path, absolute: join(folder, path) }));
    if (bytes !== undefined) made.set(path, bytes);
  }
  tally.ofApp = made.size;
  for (const [path, bytes] of made) yield [`files/${path}`, bytes];
}
