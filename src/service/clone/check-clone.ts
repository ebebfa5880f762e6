/** Checks the working tree of a clone of a Hive by the Hive's settings, as a push of it would be. */
import { join, relative } from "node:path";
import { linesIn } from "../../domain/json-fault.ts";
import { invalid, Issues } from "../../domain/errors.ts";
import { TermIndex } from "../../domain/glossary/term-index.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import { localesOf } from "../../domain/hives/hive-settings.ts";
import { type FileName } from "../../domain/names.ts";
import { noteRulesOf } from "../../domain/notes/note-tags.ts";
import type { StringNotes } from "../../domain/notes/note.ts";
import { notesKind } from "../../domain/notes/notes-kind.ts";
import { FileChecker, type LocatedFinding } from "../../domain/plans/check-content.ts";
import { lineOfKey, readPushedFile } from "../../domain/pushes/pushed-file.ts";
import type { StringFile } from "../../domain/strings/string-file.ts";
import { formatRulesOf } from "../../formats/held/format-rules.ts";
import { acceptedIn } from "../../store/content/accepted-findings.ts";
import { glossaryPath, parseGlossary } from "../../store/content/stored-glossary.ts";
import { allFiles, findClone, readPlainFile } from "./clone-files.ts";
import { problemsOf } from "./format-files.ts";
import { acceptedKind, type AcceptedChecks } from "../../domain/sidecars/accepted.ts";
import { parseValues, type FileValues, type Sidecar, valuesPath } from "../../domain/sidecars/sidecar.ts";
import { parseStoredJson } from "../../domain/json.ts";

export interface CloneFinding extends LocatedFinding {
  /** Relative to the current folder. */
  readonly path: string;
  /** Counted from 1, as the answer to a push names it. */
  readonly line?: number;
}

interface ReadFile {
  readonly path: string;
  readonly text: string;
  readonly strings: StringFile;
}

/**
 * Checks all files of a clone. Findings that were accepted are left out.
 * @param folder the current one, in the clone.
 * @returns what was found, and how many texts were checked; undefined outside of a clone.
 * @throws SkepError `invalid` when a file cannot be read.
 */
export async function checkClone(
  folder: string,
  withHints: boolean,
): Promise<{ readonly findings: readonly CloneFinding[]; readonly texts: number } | undefined> {
  const clone = await findClone(folder);
  if (clone === undefined) return undefined;
  const { root, settings } = clone;
  const issues = new Issues();
  const files = new Map<LocaleCode, Map<FileName, ReadFile>>();
  const accepted = new Map<LocaleCode, Map<FileName, FileValues<AcceptedChecks>>>();
  const read = async (path: string, isSource: boolean): Promise<ReadFile | undefined> => {
    const bytes = await readPlainFile(path, root);
    const shown = relative(folder, path);
    const strings = bytes && (await readPushedFile({ path: shown, bytes }, isSource, issues));
    return strings && { path: shown, text: Buffer.from(bytes).toString(), strings };
  };
  const readValues = async <V>(
    kind: Sidecar<V>,
    { locale, file }: { readonly locale: LocaleCode; readonly file: FileName },
    problem: string,
  ): Promise<FileValues<V> | undefined> => {
    const path = join(root, valuesPath(kind, locale, file));
    const bytes = await readPlainFile(path, root);
    try {
      return bytes && (await parseValues(kind, parseStoredJson(bytes)));
    } catch {
      issues.add(relative(folder, path), problem);
      return undefined;
    }
  };
  const notes = new Map<FileName, FileValues<StringNotes>>();
  const { sourceLocale } = settings;
  for (const { path, locale, file } of await allFiles(root, settings, issues)) {
    const at = { locale, file };
    const own = await read(path, locale === sourceLocale.code);
    if (own !== undefined) files.set(locale, (files.get(locale) ?? new Map()).set(file, own));
    const alarms = await readValues(acceptedKind, at, "does not hold accepted findings");
    if (alarms !== undefined) accepted.set(locale, (accepted.get(locale) ?? new Map()).set(file, alarms));
    const isSource = locale === sourceLocale.code;
    const noted = isSource ? await readValues(notesKind, at, "does not hold notes") : undefined;
    if (noted !== undefined) notes.set(file, noted);
  }
  const glossary = await readPlainFile(join(root, glossaryPath), root);
  const terms = glossary && (await indexOf(glossary, sourceLocale.code, issues));
  const [problem] = problemsOf(issues);
  if (problem !== undefined) throw invalid("", problem);
  const options = {
    settings,
    rulesOf: formatRulesOf,
    withHints,
    terms,
    noteRules: noteRulesOf(notes),
    isAccepted: acceptedIn(accepted),
  };
  const findings: CloneFinding[] = [];
  let texts = 0;
  for (const { code } of localesOf(settings)) {
    for (const [file, { path, text, strings }] of files.get(code) ?? []) {
      const source = files.get(sourceLocale.code)?.get(file)?.strings;
      if (source === undefined) continue;
      texts += strings.texts.size;
      const checker = new FileChecker(options, file, source);
      const lineOf = linesIn(text, lineOfKey);
      await checker.checkAll(code, strings.texts, (one) =>
        findings.push({ ...one, path, line: lineOf(one.key) }),
      );
    }
  }
  return { findings, texts };
}

/** The terms of the clone; terms of another Hive are not in it. @param issues takes what is wrong with the file. */
async function indexOf(
  bytes: Uint8Array,
  locale: LocaleCode,
  issues: Issues,
): Promise<TermIndex | undefined> {
  try {
    return new TermIndex([await parseGlossary(bytes)], locale);
  } catch {
    issues.add(glossaryPath, "is not a glossary");
    return undefined;
  }
}
