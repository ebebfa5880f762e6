/** Finds text in the translations of a Hive, and puts another in its place, as one commit. */
import { defaultChecks } from "../../domain/checks/check-settings.ts";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { subjectWithCounts } from "../../domain/commits/commit-message.ts";
import { invalid, Issues } from "../../domain/errors.ts";
import {
  maxReplacedTexts,
  replaceIn,
  type Replaced,
  type Replacement,
} from "../../domain/glossary/replacement.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import { isFileName, type FileName } from "../../domain/names.ts";
import { noteRulesOf } from "../../domain/notes/note-tags.ts";
import { FileChecker, type LocatedFinding } from "../../domain/plans/check-content.ts";
import { translatedFromAt, updateStaleMarkers } from "../../domain/strings/stale.ts";
import { translatableTexts, type StringFile } from "../../domain/strings/string-file.ts";
import type { KeyChange } from "../../domain/strings/hive-content.ts";
import { contentWrites } from "../../domain/strings/translation-writes.ts";
import { applyAnswers, type AnswerContext } from "../../domain/work/answers.ts";
import { findingsOf } from "../../domain/work/build-item.ts";
import { seenAs, type QueueFile } from "../../domain/work/queue.ts";
import {
  plainForm,
  type AnsweredItem,
  type Refusal,
  type Seen,
  type SeenString,
  type SeenTexts,
  type WorkResult,
} from "../../domain/work/work.ts";
import { formatRulesOf } from "../../formats/held/format-rules.ts";
import { isStepDone, pause } from "../../slices.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import type { CommitResult, WriteContext, WritePlan } from "../../store/hives/write-context.ts";
import type { Caller } from "../access.ts";
import { allLocales, translationsWith, type StringSearchQuery } from "../content/string-search.ts";
import { seenText } from "../content/translation-edit.ts";
import type { ContentStorage, Storage } from "../storage.ts";
import { readTerms } from "../terms.ts";
import { LocaleQueue } from "./locale-queue.ts";
import { abilitiesFor, withAbilities, workLocale } from "./open-queue.ts";
import type { Selection } from "./selection.ts";

/** How many characters they may have together, before and after: more waits for the next time. */
const maxCharacters = 4_000_000;

/** A translation that somebody has seen. */
export interface SeenTranslation extends SeenString {
  /** A code as the caller gave it. */
  readonly locale: string;
  /** The key of a text, also where it is one form of a plural. */
  readonly key: string;
}

export interface ReplaceRequest
  extends
    Replacement,
    Pick<StringSearchQuery, "file" | "files" | "tags" | "isExact" | "state" | "origin" | "since"> {
  /** A code as the caller gave it; undefined for all that the caller may write. */
  readonly locale?: string;
  /** What the strings contain, as {@link StringSearchQuery.text}. */
  readonly text?: string;
  /** The strings to look in, by the keys of their items of work; all if not given. */
  readonly selection?: Selection;
  /** The only texts to replace in, whatever the filters say; at most {@link maxReplacedTexts}. */
  readonly items?: readonly SeenTranslation[];
  /** Ends the search. */
  readonly signal?: AbortSignal;
}

/** Why a text stays as it is: what {@link replaceIn} says, and what answers to work are refused for. */
export type ReplaceRefusal = Exclude<Replaced["status"], "replaced"> | Refusal;

/** A text in which something was found. */
export interface ReplacedText {
  readonly locale: Locale;
  readonly file: FileName;
  readonly key: string;
  readonly before: string;
  /** As `before` where it cannot be made. */
  readonly after: string;
  /** What checks find in the text `after`. */
  readonly findings: readonly LocatedFinding[];
  /** The source text and the text `before`, to be sent back. */
  readonly expected: SeenTexts;
  /** Why it stays as it is; undefined where it is replaced. */
  readonly refused: { readonly code: ReplaceRefusal; readonly message: string } | undefined;
}

export interface ReplaceResult {
  /** In the order of the request, or else of locale, file and source. */
  readonly texts: readonly ReplacedText[];
  /** How many texts of the request stay as they are since they are not as expected, or have nothing to be replaced. */
  readonly changed: number;
  /** Whether there are more texts than are replaced at once. */
  readonly hasMore: boolean;
}

/**
 * Replaces text in translations, as one commit: stale ones stay stale, and they are reviewed as any that the caller writes.
 * Texts stay as they are where the result would have an error that they do not have yet (any error where the Hive refuses
 * errors), unless the context lets findings pass, or where arguments or tags would be others.
 *
 * The caller was given access to the Hive already.
 * @throws SkepError `forbidden` when the caller lacks `read` or `write`, or is limited to other locales than it names;
 * `invalid` on `locale`, `items`; as {@link HiveWriter.commit}.
 */
export async function replaceTexts(
  storage: Storage,
  caller: Caller,
  branch: HiveBranch,
  request: ReplaceRequest,
  context: WriteContext,
): Promise<CommitResult<ReplaceResult>> {
  const authorised = withAbilities(storage, caller, branch, context, abilitiesFor(caller, ["missing"]));
  const { find, replace } = request;
  const metadata = {
    ...authorised.metadata,
    message: authorised.metadata.message ?? `“${find}” → “${replace}”`,
  };
  // Looked for before the lock: it takes long in a large Hive, and others would wait for it.
  const { items, hasMore } =
    request.items === undefined
      ? await findTexts(storage, caller, branch, request)
      : { items: request.items, hasMore: false };
  return storage.writer.commit(branch, { ...authorised, metadata }, async (snapshot) => {
    const replacing = { storage, caller, branch, request, context };
    const planned = await planReplacement(snapshot, items, replacing);
    return { ...planned, result: { ...planned.result, hasMore } };
  });
}

interface Replacing {
  readonly storage: Storage;
  readonly caller: Caller;
  readonly branch: HiveBranch;
  readonly request: ReplaceRequest;
  readonly context: Pick<WriteContext, "metadata" | "allowFindings">;
}

/** Finds the translations in which something is to be replaced. */
async function findTexts(
  storage: ContentStorage,
  caller: Caller,
  branch: HiveBranch,
  request: ReplaceRequest,
): Promise<{ readonly items: readonly SeenTranslation[]; readonly hasMore: boolean }> {
  const { locale, file, files, tags, text: contained, isExact, state, origin, since, signal } = request;
  const { settings } = await storage.hives.at(branch).snapshot();
  if (locale !== undefined) workLocale(caller, branch, settings, locale);
  const among = caller.principal.locales;
  const strings = { file, files, tags, text: contained, isExact, state, origin, since, signal };
  const query = { ...strings, locale: locale ?? allLocales, among };
  const { snapshot, translations } = await translationsWith(storage, branch, query, request.find);
  const noteRules = noteRulesOf((await snapshot.values.notes.readable()).files);
  const { source } = await snapshot.content([]);
  const syntaxes = syntaxFinder({ settings: snapshot.settings, rulesOf: formatRulesOf, noteRules }, source);
  const items: SeenTranslation[] = [];
  let characters = 0;
  for await (const { locale: code, file: name, key, source: text, text: translation } of translations) {
    if (isStepDone()) await pause(signal);
    if (!isSelected(request.selection, source.get(name), { file: name, key })) continue;
    const replaced = replaceIn(syntaxes(name, key), code, translation, request);
    if (replaced === undefined) continue;
    characters += sizeOf(translation, replaced);
    if (items.length === maxReplacedTexts || characters > maxCharacters) return { items, hasMore: true };
    items.push({ locale: code, file: name, key, expected: seenAs(seenText(text, translation)) });
  }
  return { items, hasMore: false };
}

/** Whether a text is one of a selected string; of a plural all are. */
function isSelected(
  selection: Selection | undefined,
  strings: StringFile | undefined,
  { file, key }: { readonly file: FileName; readonly key: string },
): boolean {
  if (selection?.has({ file, key }) !== false) return true;
  const form = strings?.plurals?.formOf(key);
  return form !== undefined && selection.has({ file, key: `${form.string.stem}${plainForm}` });
}

function sizeOf(before: string, replaced: Replaced): number {
  return before.length + ("after" in replaced ? replaced.after.length : 0);
}

/** Makes a function that tells how the text of a key is written. */
function syntaxFinder(
  options: ConstructorParameters<typeof FileChecker>[0],
  source: ReadonlyMap<FileName, StringFile>,
): (file: FileName, key: string) => ReturnType<FileChecker["syntaxOf"]> {
  const checkers = new Map<FileName, FileChecker>();
  return (file, key) => {
    const checker = checkers.get(file) ?? new FileChecker(options, file, source.get(file));
    checkers.set(file, checker);
    return checker.syntaxOf(key);
  };
}

const reasons: Readonly<Record<Exclude<Replaced["status"], "replaced">, string>> = {
  arguments_changed: "The arguments or tags of the text would be others.",
  unreadable: "The text cannot be read, so nothing says what of it are arguments.",
  too_long: "The text would be too long.",
};

/** The texts were compared with what was seen under the same lock. */
const asSeen: Seen = { isSource: () => true, isTranslation: () => true };

async function planReplacement(
  snapshot: Snapshot,
  items: readonly SeenTranslation[],
  replacing: Replacing,
): Promise<WritePlan<Omit<ReplaceResult, "hasMore">>> {
  const { branch, caller } = replacing;
  const locales = items.map((item) => workLocale(caller, branch, snapshot.settings, item.locale));
  requireDistinct(items, locales);
  const texts: (ReplacedText | undefined)[] = items.map(() => undefined);
  const saved: KeyChange[] = [];
  let characters = 0;
  for (const locale of new Set(locales)) {
    const into = await LocaleReplacement.open(snapshot, locale, replacing);
    for (const [index, item] of items.entries()) {
      if (locales[index] !== locale) continue;
      await pause();
      const found = await into.replace(item);
      characters += found === undefined ? 0 : found.before.length + found.after.length;
      if (characters > maxCharacters)
        throw invalid("items", `have more than ${maxCharacters.toLocaleString("en")} characters together`);
      texts[index] = found;
    }
    saved.push(...into.saved);
  }
  const found = texts.filter((text) => text !== undefined);
  const result = { texts: found, changed: items.length - found.length };
  if (saved.length === 0) return { result };
  const codes = [...new Set(saved.map(({ locale }) => locale))];
  const [content, markers] = await Promise.all([snapshot.content(codes), snapshot.values.stale.read(codes)]);
  const writes = await contentWrites(content, new Map(), saved);
  // Nobody has compared the text with its source text: what it was made for stays as it is.
  const values = await updateStaleMarkers(content, markers, { changes: saved, writes }, (code, file, key) =>
    translatedFromAt({ content, markers }, code, { file, key }),
  );
  const counts = {
    replaced: saved.length,
    changed: result.changed,
    refused: found.filter(({ refused }) => refused !== undefined).length,
  };
  const [only] = codes.length === 1 ? locales : [];
  const what = `Replace text in ${only === undefined ? "translations" : `${codeOf(only)} translations`}`;
  const subject = subjectWithCounts(what, { replaced: counts.replaced }, "none");
  return {
    result,
    change: { metadata: { subject, operation: "replace", counts }, writes, values },
    changes: saved,
  };
}

/** @throws SkepError `invalid` on `items` that name a text twice. */
function requireDistinct(items: readonly SeenTranslation[], locales: readonly Locale[]): void {
  const known = new Set<string>();
  const issues = new Issues();
  for (const [i, { file, key }] of items.entries()) {
    const name = JSON.stringify([locales[i]?.code, file, key]);
    if (known.has(name)) issues.add(`items.${i}.key`, "is named twice");
    known.add(name);
  }
  issues.throwIfAny();
}

/** Replaces in the translations into one locale. */
class LocaleReplacement {
  readonly saved: KeyChange[] = [];
  readonly #queue: LocaleQueue;
  readonly #request: ReplaceRequest;
  readonly #answers: AnswerContext;
  readonly #syntaxOf: ReturnType<typeof syntaxFinder>;
  /** What checks find in the text that is judged. */
  #findings: readonly LocatedFinding[] = [];

  private constructor(
    queue: LocaleQueue,
    { request, context }: Replacing,
    terms: Awaited<ReturnType<typeof readTerms>>["index"],
  ) {
    const { content, locale, isAccepted, notes } = queue;
    const { settings, source } = content;
    const { metadata, allowFindings = false } = context;
    const noteRules = noteRulesOf(notes);
    const checks = { settings, locale, terms, noteRules, isAccepted, rulesOf: formatRulesOf };
    const refusesAll = (settings.checks ?? defaultChecks).level === "refuse";
    this.#queue = queue;
    this.#request = request;
    this.#syntaxOf = syntaxFinder({ settings, rulesOf: formatRulesOf, noteRules }, source);
    this.#answers = {
      locale,
      fileOf: (name) => queue.file(name),
      by: metadata.person ?? metadata.token ?? metadata.author.name,
      allowFindings,
      sinceClaim: () => "nothing",
      isWithheld: () => false,
      isAccepted: queue.isAccepted,
      findingsOf: (name, file, forms, texts) => {
        const check = findingsOf(checks, name, file);
        this.#findings = check(forms, texts);
        const errors = this.#findings.filter(({ severity }) => severity === "error");
        if (errors.length === 0 || refusesAll) return errors;
        const known = new Set(check(forms).map((one) => `${one.check} ${one.message}`));
        return errors.filter((one) => !known.has(`${one.check} ${one.message}`));
      },
    };
  }

  /** @throws SkepError `content-invalid`. */
  static async open(snapshot: Snapshot, locale: Locale, replacing: Replacing): Promise<LocaleReplacement> {
    const queue = await LocaleQueue.open(snapshot, locale, { withFailing: false });
    const { index } = await readTerms(replacing.storage, slugOf(replacing.branch));
    return new LocaleReplacement(queue, replacing, index);
  }

  /** What becomes of a text; undefined where it is not as expected, or there is nothing to replace. */
  async replace({ file: name, key, expected }: SeenTranslation): Promise<ReplacedText | undefined> {
    const { locale } = this.#queue;
    const file = isFileName(name) ? await this.#queue.file(name) : undefined;
    const before = file?.texts.get(key);
    if (!isFileName(name) || file === undefined || before === undefined) return undefined;
    const source = translatableTexts(file.strings).get(key);
    if (source === undefined) return undefined;
    if (!expected.isSource(plainForm, source) || !expected.isTranslation(plainForm, before)) return undefined;
    const replaced = replaceIn(this.#syntaxOf(name, key), locale.code, before, this.#request);
    if (replaced === undefined) return undefined;
    const text = { locale, file: name, key, before, expected: seenText(source, before) };
    if (replaced.status !== "replaced") {
      const refused = { code: replaced.status, message: reasons[replaced.status] };
      return { ...text, after: "after" in replaced ? replaced.after : before, findings: [], refused };
    }
    const { after } = replaced;
    const { status, code, message = "" } = await this.#write(file, { file: name, key }, after);
    if (status !== "saved" && code === undefined) return undefined;
    const refused = code === undefined ? undefined : { code, message };
    return { ...text, after, findings: this.#findings, refused };
  }

  /** Writes a text as an answer to an item of work does. */
  async #write(
    { plurals, strings }: QueueFile,
    { file, key }: { readonly file: FileName; readonly key: string },
    text: string,
  ): Promise<WorkResult> {
    const form = plurals.formOf(strings, key);
    const forms = new Map([[form?.category ?? plainForm, text]]);
    const item: AnsweredItem = {
      file,
      key: form === undefined ? key : `${form.string.stem}${plainForm}`,
      answer: { kind: "forms", forms, approve: false },
      expected: asSeen,
    };
    this.#findings = [];
    const { results, saved } = await applyAnswers(this.#answers, [item]);
    this.saved.push(...saved);
    const [result] = results;
    if (result === undefined) throw new Error("there is no result");
    return result;
  }
}
