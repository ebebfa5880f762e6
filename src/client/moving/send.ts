/** `skep import --from`: brings another tool's export into a Hive. */
import { groupBy } from "../../domain/group-by.ts";
import type { StringNotes, TeamNoteChange } from "../../domain/notes/note.ts";
import type { MovingContext } from "../../formats/moving/context.ts";
import type { LeftOut, Moved } from "../../formats/moving/moved.ts";
import type { ToolName } from "../../formats/moving/tool-names.ts";
import { readExport } from "./tools.ts";
import type { ExportFiles } from "../../formats/moving/zip.ts";
import { FormatError } from "../../formats/format.ts";
import { ClientError, fileError } from "../api/client-error.ts";
import type { TermCounts } from "../api/glossary-api.ts";
import type { HiveApi, HiveLocale, HiveLocales, HiveTexts } from "../api/hive-api.ts";
import { untilUnchanged } from "../api/hive-part.ts";
import type { WaitingText } from "../api/review-api.ts";
import { toStringNotes } from "../api/string-answers.ts";
import type { CommandContext } from "../context.ts";
import type { HiveReport } from "../project.ts";
import { findCommitRef } from "../repository/commit-ref.ts";
import { review } from "../review/review.ts";
import { addressOf } from "../texts.ts";
import type { FileEntry } from "../tree/schema.ts";
import { localeFinder, placerFor, withNewLocales } from "./places.ts";
import {
  planMove,
  type HiveState,
  type LocalePlan,
  type MovePlan,
  type MoveRules,
  type PlannedText,
} from "./plan.ts";
import { readExportFiles } from "./read-export.ts";
import { toFiles, tryTexts, type RefusedText } from "./try-texts.ts";

export interface MoveOptions extends MoveRules {
  readonly tool: ToolName;
  readonly path: string;
  /** The Hive's file that all texts belong to, if the export does not tell. */
  readonly as: string | undefined;
  /** Whether locales are added that the Hive does not have. */
  readonly create: boolean;
}

export interface MovedLocale {
  readonly locale: string;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  /** How many of the texts that are sent wait for a review from then on. */
  readonly waiting: number;
  /** How many texts are approved because the export has them so. */
  readonly approved: number;
  /** How many are approved in the export and wait all the same, because the token may not approve. */
  readonly notApproved: number;
}

export interface MoveReport extends HiveReport {
  readonly from: ToolName;
  readonly sent: boolean;
  /** Locales that the Hive lacks, and gets with `create`. */
  readonly newLocales: readonly string[];
  readonly strings: number;
  readonly locales: readonly MovedLocale[];
  readonly notes: number;
  readonly pictures: number;
  readonly terms: Pick<TermCounts, "created" | "updated" | "unchanged">;
  readonly refused: readonly RefusedText[];
  readonly leftOut: readonly LeftOut[];
}

/** What a move would do. */
export interface PreparedMove {
  readonly report: MoveReport;
  readonly plan: MovePlan;
  readonly isEmpty: boolean;
}

/** A Hive, and the app that it belongs to, if there is one. */
export interface MoveTarget {
  readonly hive: HiveApi;
  readonly context: CommandContext;
  readonly entries: readonly FileEntry[];
}

/** Reads an export, and plans how it comes into the Hive. Nothing is written. @throws ClientError */
export async function prepareMove(target: MoveTarget, options: MoveOptions): Promise<PreparedMove> {
  const { hive, context } = target;
  const files = await readExportFiles(options.path);
  context.progress("Reading the export");
  const known = await hive.locales();
  const source = await hive.texts(known.source.code);
  const before = { locales: known, source: source.data };
  let moved = await readAs(files, target, options, before);
  const all = options.create ? withNewLocales(known, moved.unknownLocales) : known;
  const added = all.targets.filter((locale) => !known.targets.includes(locale));
  if (added.length > 0) moved = await readAs(files, target, options, { ...before, locales: all });
  context.progress("Comparing with the Hive");
  const state = await stateOf(hive, known, source, moved);
  const plan = planMove(moved, state, all.targets, options);
  const judged = await judge(hive, plan, state, new Set(added.map(({ code }) => code)));
  const locales = plan.locales.map((locale) => ({
    ...locale,
    texts: locale.texts.filter((text) => !judged.isRefused(locale, text)),
  }));
  const terms = await termCounts(hive, plan, added.length > 0);
  const final = { ...plan, locales };
  const report: MoveReport = {
    hive: hive.slug,
    branch: hive.branch ?? null,
    from: options.tool,
    sent: false,
    newLocales: added.map(({ code }) => code),
    strings: plan.created,
    locales: locales.map((locale) => countsOf(locale)).filter(hasAny),
    notes: [...plan.notes.values()].reduce((sum, { size }) => sum + size, 0),
    pictures: plan.pictures.length,
    terms,
    refused: judged.refused,
    leftOut: moved.left,
  };
  const pending = await Promise.all(
    locales.map(async ({ locale, finished }) => (await waitingOf(hive, locale, finished)).length),
  );
  const texts = report.locales.reduce((sum, { created, updated }) => sum + created + updated, 0);
  const others = report.strings + report.notes + report.pictures + terms.created + terms.updated;
  const approvals = pending.reduce((sum, count) => sum + count, 0);
  return { report, plan: final, isEmpty: texts + others + added.length + approvals === 0 };
}

function hasAny({ created, updated, unchanged }: MovedLocale): boolean {
  return created + updated + unchanged > 0;
}

async function readAs(
  files: ExportFiles,
  { entries }: Pick<MoveTarget, "entries">,
  { tool, as, path }: Pick<MoveOptions, "tool" | "as" | "path">,
  { locales, source }: { readonly locales: HiveLocales; readonly source: HiveTexts },
): Promise<Moved> {
  const context: MovingContext = {
    source: locales.source.code,
    targets: locales.targets.map(({ code }) => code),
    localeOf: localeFinder(locales),
    place: placerFor({ entries, locales, names: source.keys(), paths: files.keys(), as }),
  };
  try {
    return await readExport(tool, files, context);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw fileError("error", { file: path }, error.message, { cause: error });
  }
}

/** What the Hive has, as far as a move needs it. */
async function stateOf(
  hive: HiveApi,
  { targets }: HiveLocales,
  { data: source, commit }: { readonly data: HiveTexts; readonly commit: string },
  moved: Moved,
): Promise<HiveState> {
  const translations = new Map<string, HiveTexts>();
  const open = new Map<string, Map<string, { source: string; isMissing: boolean }>>();
  for (const { code } of targets) {
    translations.set(code, (await hive.texts(code, commit)).data);
    const { data } = await hive.untranslated(code, { revision: commit });
    const missing = data.map(({ source_value: text, state, ...address }) => {
      return [addressOf(address), { source: text, isMissing: state === "missing" }] as const;
    });
    open.set(code, new Map(missing));
  }
  const hasNotes = [...moved.files.values()].some((strings) =>
    [...strings.values()].some(({ note }) => note),
  );
  const notes: HiveState["notes"] = hasNotes ? await notesOf(hive) : new Map();
  const pictures = moved.pictures.length > 0 ? await hive.pictures.list() : [];
  const terms = moved.terms.length > 0 ? await hive.glossary.list() : [];
  return { source, translations, open, notes, pictures, terms };
}

async function notesOf(hive: HiveApi): Promise<HiveState["notes"]> {
  const { data } = await hive.noteList({ file: undefined, tag: undefined });
  return new Map(data.map((one) => [addressOf(one), toStringNotes(one)]));
}

interface Judgement {
  readonly refused: readonly RefusedText[];
  readonly isRefused: (locale: LocalePlan, text: PlannedText) => boolean;
}

/** Asks the server which texts it would refuse. Those of strings that are not there yet are asked when they are. */
async function judge(
  hive: HiveApi,
  { locales }: Pick<MovePlan, "locales">,
  { source }: Pick<HiveState, "source">,
  added: ReadonlySet<string>,
): Promise<Judgement> {
  const refused: RefusedText[] = [];
  const known = new Map<string, ReadonlySet<string>>();
  for (const { locale, texts } of locales) {
    if (added.has(locale.code)) continue;
    const there = texts.filter(({ file, key }) => hasString(source, file, key));
    const { refused: own } = await tryTexts(hive, locale, there);
    refused.push(...own);
    known.set(locale.code, new Set(own.map(addressOf)));
  }
  return {
    refused,
    isRefused: ({ locale }, text) => known.get(locale.code)?.has(addressOf(text)) === true,
  };
}

/** Whether the Hive has a string, or another form of its plural: whether it takes the form itself is for it to say. */
function hasString(source: HiveTexts, file: string, key: string): boolean {
  const texts = source.get(file);
  return texts?.has(key) === true || texts?.has(key.replace(/[^._]*$/, "other")) === true;
}

function countsOf({ locale, texts, unchanged }: LocalePlan, approved = 0, notApproved = 0): MovedLocale {
  const updated = texts.filter(({ before }) => before !== null).length;
  return {
    locale: locale.code,
    created: texts.length - updated,
    updated,
    unchanged,
    waiting: texts.filter(({ waits }) => waits).length,
    approved,
    notApproved,
  };
}

async function termCounts(
  hive: HiveApi,
  { terms }: MovePlan,
  hasNewLocales: boolean,
): Promise<MoveReport["terms"]> {
  if (terms.length === 0) return noTerms;
  // Translations into a locale that is not there yet would be refused.
  if (hasNewLocales) return { created: terms.length, updated: 0, unchanged: 0 };
  return (await hive.glossary.send(terms, "merge", { dryRun: true })).data;
}

/**
 * Sends what was planned: source strings, each locale's texts, notes, pictures and terms. What fails in between leaves what
 * was sent before; the same command then sends the rest.
 * @throws ClientError `conflict` when a translation has been changed meanwhile.
 */
export async function sendMove(
  { hive, context }: MoveTarget,
  { plan, report }: PreparedMove,
): Promise<MoveReport> {
  const ref = await findCommitRef(context.folder, context.environment);
  const words = { dryRun: false, ref };
  for (const code of report.newLocales) await hive.addLocale({ code, canonical: code });
  if (plan.created > 0) {
    context.progress("Sending the source strings");
    await hive.importSource(Object.fromEntries(plan.strings), words);
  }
  const refused = [...report.refused];
  const locales: MovedLocale[] = [];
  for (const planned of plan.locales) {
    context.progress(`Sending ${planned.locale.code}`);
    const { taken, refused: own } = await tryTexts(hive, planned.locale, planned.texts);
    refused.push(...own);
    for (const waits of [false, true]) {
      const texts = taken.filter((text) => text.waits === waits);
      if (texts.length > 0)
        await hive.translations.import(planned.locale.code, toFiles(texts), {
          ...words,
          overwrite: true,
          strict: false,
          waits,
          expected: expectedOf(texts),
        });
    }
    const { approved, notApproved } = await approveFinished(hive, planned, taken);
    const counts = countsOf({ ...planned, texts: taken }, approved, notApproved);
    if (hasAny(counts)) locales.push(counts);
  }
  const { notes, pictures, terms } = await sendContext(hive, plan, context);
  return { ...report, sent: true, locales, refused, notes, pictures, terms };
}

function expectedOf(texts: readonly PlannedText[]) {
  const files = groupBy(texts, ({ file }) => file);
  return Object.fromEntries(
    Array.from(files, ([name, own]) => [
      name,
      Object.fromEntries(own.map(({ key, before }) => [key, before])),
    ]),
  );
}

/** Approves what the export has approved and what waits all the same: where all texts of the locale, or of the token, do. */
async function approveFinished(
  hive: HiveApi,
  { locale, finished }: LocalePlan,
  taken: readonly PlannedText[],
): Promise<Pick<MovedLocale, "approved" | "notApproved">> {
  const waiting = await waitingOf(hive, locale, [...finished, ...taken.filter(({ waits }) => !waits)]);
  if (waiting.length === 0) return { approved: 0, notApproved: 0 };
  try {
    const { reviewed } = await review(hive, waiting);
    return { approved: reviewed, notApproved: waiting.length - reviewed };
  } catch (error) {
    if (!(error instanceof ClientError) || error.kind !== "denied") throw error;
    return { approved: 0, notApproved: waiting.length };
  }
}

/** Which of some texts wait for a review. */
async function waitingOf(
  hive: HiveApi,
  { code }: HiveLocale,
  finished: LocalePlan["finished"],
): Promise<readonly WaitingText[]> {
  if (finished.length === 0) return [];
  const texts = new Map(finished.map(({ text, ...address }) => [addressOf(address), text]));
  const all = await hive.review.list(code);
  return all.filter((one) => texts.get(addressOf(one)) === one.translation);
}

const noTerms = { created: 0, updated: 0, unchanged: 0 };

/** How many notes one request changes. */
const noteBatch = 1_000;

async function sendContext(
  hive: HiveApi,
  plan: MovePlan,
  context: CommandContext,
): Promise<Pick<MoveReport, "notes" | "pictures" | "terms">> {
  const notes = plan.notes.size > 0 ? await sendNotes(hive, plan, context) : 0;
  for (const picture of plan.pictures) {
    context.progress("Sending the pictures");
    await hive.pictures.add(picture);
  }
  const terms = plan.terms.length > 0 ? await sendTerms(hive, plan) : noTerms;
  return { notes, pictures: plan.pictures.length, terms };
}

/** Sends the notes beside those that the Hive has by now. @returns of how many strings. */
async function sendNotes(hive: HiveApi, plan: MovePlan, context: CommandContext): Promise<number> {
  let sent = 0;
  await untilUnchanged(async () => {
    const present = await notesOf(hive);
    const notes = [...plan.notesBeside(present)].flatMap(([file, own]) =>
      Array.from(own, ([key, change]) => ({ file, key, change })),
    );
    for (let at = 0; at < notes.length; at += noteBatch) {
      context.progress("Sending the notes");
      const batch = notes.slice(at, at + noteBatch);
      const byFile = [...groupBy(batch, ({ file }) => file)];
      const bodyOf = (valueOf: (one: (typeof batch)[number]) => TeamNoteChange) =>
        Object.fromEntries(
          byFile.map(([file, own]) => [file, Object.fromEntries(own.map((one) => [one.key, valueOf(one)]))]),
        );
      const { data } = await hive.changeNotes(
        bodyOf(({ change }) => change),
        // Others may write at the same time what has nothing to do with these members.
        bodyOf(({ change, ...address }) => membersOf(present.get(addressOf(address)), change)),
      );
      // A string may have gone meanwhile.
      sent += batch.length - data.unknown;
    }
  });
  return sent;
}

/** What a note of the team has of the members that a change is about. */
function membersOf(notes: StringNotes | undefined, change: TeamNoteChange): TeamNoteChange {
  const team: Readonly<Record<string, unknown>> = notes?.team ?? {};
  return Object.fromEntries(Object.keys(change).map((member) => [member, team[member] ?? null]));
}

/** Sends the terms beside those that the Hive has by now. */
function sendTerms({ glossary }: HiveApi, plan: MovePlan): Promise<TermCounts> {
  return untilUnchanged(async () => {
    const { data: present, commit } = await glossary.read();
    return (await glossary.send(plan.termsBeside(present), "merge", { ifAt: commit })).data;
  });
}
