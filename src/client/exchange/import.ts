/** `skep import`: sends translations that translators sent back to the Hive. */
import { groupBy } from "../../domain/group-by.ts";
import type { HiveLocale, HiveTexts } from "../api/hive-api.ts";
import type { HiveFinding, StringAddress } from "../api/schemas.ts";
import type { SentFiles } from "../api/write-options.ts";
import { ClientError } from "../api/client-error.ts";
import { findCommitRef } from "../repository/commit-ref.ts";
import { chooseLocales, type Project } from "../project.ts";
import { readReceived } from "./received.ts";
import { addressOf } from "../texts.ts";

export interface ImportOptions {
  readonly locale: string;
  readonly path: string;
  /** The file of the Hive that it belongs to, if the file itself does not name one. */
  readonly as: string | undefined;
  /** Whether translations are replaced that are neither missing nor stale. */
  readonly overwrite: boolean;
  readonly sameAsSource: boolean;
  /** Whether translations are sent whose source text has changed since they were sent out. */
  readonly changedSource: boolean;
}

/** Why a translation is not sent. */
export type RejectionReason = "unknown" | "refused" | "changed-source" | "kept" | "same-as-source";

export interface RejectedKey extends StringAddress {
  readonly reason: RejectionReason;
  /** Details for people. */
  readonly detail: string;
}

export interface ImportChange extends StringAddress {
  readonly before: string | null;
  readonly after: string;
}

export interface ImportPlan {
  readonly locale: HiveLocale;
  readonly changes: readonly ImportChange[];
  /** How many texts of the file are in the Hive already. */
  readonly unchanged: number;
  /** How many texts of the file have no translation. */
  readonly empty: number;
  readonly rejectedKeys: readonly RejectedKey[];
  /** What checks find in the changes. */
  readonly findings: readonly HiveFinding[];
  readonly commit: string;
}

/** Plans an import: the changes, and the rejected keys with reasons. @throws ClientError */
export async function planImport(project: Project, options: ImportOptions): Promise<ImportPlan> {
  const { hive, context } = project;
  const locales = await hive.locales();
  const [locale] = chooseLocales(locales, [options.locale]);
  if (locale === undefined) throw new ClientError("misuse", "There is no locale.");
  context.progress("Comparing with the Hive");
  const { data: source, commit } = await hive.texts(locales.source.code, undefined);
  const { data: present } = await hive.texts(locale.code, commit);
  const { data: open } = await hive.untranslated(locale.code);
  const openKeys = new Map(open.map((text) => [addressOf(text), text]));
  const known = { locales, source, name: options.as };
  const { units, refused } = await readReceived(project, options.path, locale, known);
  const changes: ImportChange[] = [];
  const rejectedKeys: RejectedKey[] = refused.map(({ file, key, line, reason }) => ({
    file,
    key,
    reason: "refused",
    detail: `line ${line}: it ${reason}`,
  }));
  let [unchanged, empty] = [0, 0];
  for (const { file, key, source: receivedSource, translation: received } of units) {
    const leave = (reason: RejectionReason, detail: string): void =>
      void rejectedKeys.push({ file, key, reason, detail });
    const before = textOf(present, file, key);
    const left = openKeys.get(addressOf({ file, key }));
    const now = textOf(source, file, key) ?? left?.source_value;
    const sentSource = receivedSource && withLineEndsOf(now, receivedSource);
    const translation = received && withLineEndsOf(now, received);
    if (translation === undefined) empty++;
    else if (translation === before) unchanged++;
    else if (now !== undefined && sentSource !== undefined && sentSource !== now && !options.changedSource) {
      leave("changed-source", "its source text has changed since; --changed-source sends it all the same");
    } else if (translation === now && !options.sameAsSource) {
      leave("same-as-source", "it equals its source text; --same-as-source sends it");
    } else if (before !== undefined && left === undefined && !options.overwrite) {
      leave("kept", "the Hive has another translation by now; --overwrite replaces it");
    } else changes.push({ file, key, before: before ?? null, after: translation });
  }
  const { unknown, findings } = await tryChanges(project, locale, changes);
  for (const { file, key } of changes) {
    const reason = unknown.get(addressOf({ file, key }));
    if (reason !== undefined) rejectedKeys.push({ file, key, reason: "unknown", detail: reason });
  }
  return {
    locale,
    changes: changes.filter((change) => !unknown.has(addressOf(change))),
    unchanged,
    empty,
    rejectedKeys,
    findings,
    commit,
  };
}

/** A text with the line ends of its source text: the program that saved the file may have changed all of them. */
export function withLineEndsOf(source: string | undefined, text: string): string {
  const ends = new Set(source?.match(lineEnds));
  const [end = "\n"] = ends;
  return source === undefined || ends.size > 1 ? text : text.replaceAll(lineEnds, end);
}

const lineEnds = /\r\n?|\n/g;

function textOf(texts: HiveTexts, file: string, key: string): string | undefined {
  const text = texts.get(file)?.get(key);
  return text === "" ? undefined : text;
}

/** How many translations are sent in one dry run, which lists only the first unknown keys. */
const batch = 1_000;

interface TriedChanges {
  /** The keys that the Hive has no string for, with the server's reasons. Only the server knows all plural forms. */
  readonly unknown: ReadonlyMap<string, string>;
  readonly findings: readonly HiveFinding[];
}

/** Asks the server what it would do with changes. */
async function tryChanges(
  { hive }: Project,
  { code }: HiveLocale,
  changes: readonly ImportChange[],
): Promise<TriedChanges> {
  const unknown = new Map<string, string>();
  const findings: HiveFinding[] = [];
  const words = { dryRun: true, ref: undefined, overwrite: true, strict: false };
  for (let at = 0; at < changes.length; at += batch) {
    const { data } = await hive.translations.import(code, toFiles(changes.slice(at, at + batch)), words);
    for (const each of data.unknown_keys ?? []) {
      const what = each.reason === "no-file" ? "file" : "key";
      unknown.set(addressOf(each), `the Hive has no such ${what}`);
    }
    findings.push(...(data.findings ?? []));
  }
  return { unknown, findings };
}

function toFiles(changes: readonly ImportChange[]): SentFiles {
  const files = groupBy(changes, ({ file }) => file);
  return Object.fromEntries(
    Array.from(files, ([name, own]) => [name, Object.fromEntries(own.map(({ key, after }) => [key, after]))]),
  );
}

/**
 * Sends the planned changes.
 * @returns the commit that the Hive is at then.
 * @throws ClientError `conflict` when the Hive has been changed meanwhile; then nothing was sent.
 */
export async function sendImport(
  { hive, config, context: { environment } }: Project,
  { locale, changes, commit }: ImportPlan,
): Promise<string> {
  if (changes.length === 0) return commit;
  const ref = await findCommitRef(config.folder, environment);
  const options = { dryRun: false, ref, overwrite: true, strict: false, ifAt: commit };
  return (await hive.translations.import(locale.code, toFiles(changes), options)).commit;
}
