/**
 * Work as a page shows it: one string at a time, with the strings that come next and the claims of others. A page claims the
 * string that it shows; each session has one claim.
 */
import { hash } from "node:crypto";
import { writerOf } from "../../domain/access/principal.ts";
import { branchNameOf, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { failure } from "../../domain/errors.ts";
import { shownTermsIn } from "../../domain/glossary/expected-terms.ts";
import type { CheckedText } from "../../domain/glossary/text-checks.ts";
import type { FoundTerm } from "../../domain/glossary/term-index.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import { isSameAddress, type StringAddress } from "../../domain/move.ts";
import { isFileName, type FileName } from "../../domain/names.ts";
import { hasTag, type WantedTags } from "../../domain/notes/note-tags.ts";
import type { StringNotes } from "../../domain/notes/note.ts";
import type { Picture } from "../../domain/pictures/picture.ts";
import { FileChecker } from "../../domain/plans/check-content.ts";
import type { Review } from "../../domain/sidecars/review.ts";
import { fold } from "../../domain/strings/folded-texts.ts";
import { buildItem } from "../../domain/work/build-item.ts";
import {
  firstState,
  formsOf,
  isKeptFromEngines,
  notesOf,
  statesOf,
  toBits,
  waitingAt,
  type QueueFile,
} from "../../domain/work/queue.ts";
import {
  workStates,
  type SeenTexts,
  type WorkForm,
  type WorkItem,
  type WorkState,
} from "../../domain/work/work.ts";
import { formatRulesOf } from "../../formats/held/format-rules.ts";
import type { Claims } from "../../store/settings/claims.ts";
import { requireAbility } from "../access.ts";
import type { Session } from "../sessions.ts";
import type { ContentStorage } from "../storage.ts";
import { listClaims, type ShownClaim, ClaimIndex, ownerOf, toClaimed, withoutClaim } from "./claims.ts";
import { abilitiesFor, openQueue, type OpenQueue } from "./open-queue.ts";
import { walkQueue, withoutOwn } from "./locale-queue.ts";

/** How many strings behind the shown one are listed. */
const maxListed = 20;
/** How long the string that a page shows is claimed. */
const claimSeconds = 600;
/** How many claims of others are listed. */
const maxClaims = 20;

export interface PageRequest {
  /** A code as the caller gave it. */
  readonly locale: string;
  readonly want: readonly WorkState[];
  /** A part of the file's name. */
  readonly file?: string;
  readonly tags?: WantedTags;
  /** A part of the key or of one of the texts, compared as in searches. */
  readonly text?: string;
  /** The string to show, whether or not anything is to be done with it. */
  readonly at?: { readonly file: string; readonly key: string };
  /** The string after which to go on; strings before it come last. */
  readonly after?: { readonly file: string; readonly key: string };
  /** The code of the locale whose translations are shown beside; a few when undefined. */
  readonly beside?: string;
}

export interface QueuedString extends StringAddress {
  readonly state: WorkState;
  readonly source: string;
  /** The present translation; for a plural string, the translation of its form `other`. */
  readonly translation: string | undefined;
  /** The texts that the page has shown, which a decision made in the list sends back. */
  readonly expected: SeenTexts;
}

export interface PageForm extends WorkForm {
  /** How a text is checked while it is written, and the findings of the stored text; undefined where checks are off. */
  readonly checked: CheckedText | undefined;
  readonly found: readonly FoundTerm[];
  readonly waiting: Review | undefined;
}

export interface PageItem extends Omit<WorkItem, "forms" | "pictures"> {
  readonly forms: readonly PageForm[];
  readonly notes: StringNotes;
  readonly pictures: readonly Picture[];
  /** Whether a note keeps it from engines. */
  readonly isUnsent: boolean;
  /** Whether it needs work, or is withheld from whoever asks. */
  readonly isOpen: boolean;
}

export interface PageWork {
  readonly settings: HiveSettings;
  readonly locale: Locale;
  /** The style guide of the locale; empty where there is none. */
  readonly style: string;
  /** Undefined where nothing is left. */
  readonly item: PageItem | undefined;
  readonly next: readonly QueuedString[];
  /** How many strings are left, the shown one included. */
  readonly left: number;
  readonly claims: readonly ShownClaim[];
  readonly files: readonly FileName[];
}

/**
 * Chooses the string that a page shows to a session, and claims it for the session unless somebody else has claimed it.
 * Without `at`, claimed strings are not chosen, and strings that the caller has skipped only where these are wanted.
 * @throws SkepError `forbidden` when the token can do nothing with such strings, or is limited to other locales; `invalid`
 * on `locale`, on `other_locales`; `not-found` when there is no string `at`; `content-invalid`.
 */
export async function showWork(
  storage: ContentStorage,
  session: Session,
  branch: HiveBranch,
  request: PageRequest,
): Promise<PageWork> {
  const { caller } = session;
  for (const ability of abilitiesFor(caller, request.want)) requireAbility(caller, ability);
  const slug = slugOf(branch);
  const otherLocales = request.beside === undefined ? undefined : [request.beside];
  const opened = await openQueue(storage, caller, branch, { ...request, otherLocales });
  const { snapshot, queue, style } = opened;
  const { locale } = queue;
  const place = { owner: ownerOf(caller), branch: branchNameOf(branch), locale: locale.code };
  const id = claimOf(session);
  const selected = await storage.claims.change(slug, async (before): Promise<readonly [Claims, Selected]> => {
    const others = withoutClaim(before, id, place.owner);
    const held = new ClaimIndex(others, place);
    const found = await selectItem(opened, held, request, writerOf(caller.principal));
    const item = found.shown?.item;
    if (item === undefined || held.claimed.has(item))
      return [others.claims.length === before.claims.length ? before : others, found];
    const ends = storage.now() + claimSeconds * 1000;
    const by = writerOf(caller.principal) ?? "";
    const claim = { id, ...place, by, ends, items: [toClaimed(item, item.expected)] };
    return [{ ...others, claims: [...others.claims, claim] }, found];
  });
  const pictures = new Set(selected.shown?.item.pictures);
  const known =
    pictures.size === 0 ? new Map<string, Picture>() : (await snapshot.pictures.readable()).pictures;
  const here = { locale: codeOf(locale), offset: 0, limit: maxClaims };
  const { entries: claims } = await (await listClaims(storage, caller, branch, here)).read();
  return {
    settings: snapshot.settings,
    locale,
    style,
    item: selected.shown && {
      ...toPageItem(opened, selected.shown),
      pictures: [...pictures].flatMap((picture) => known.get(picture) ?? []),
    },
    next: selected.next,
    left: selected.left,
    claims: claims.filter((claim) => claim.id !== id),
    files: [...queue.content.source.keys()],
  };
}

/** The id of a session's claim: a hash, because claims are listed, and the session's id is a secret. */
function claimOf({ id }: Session): string {
  return hash("sha256", `claim ${id}`, "hex").slice(0, 24);
}

/** All states. */
const all = toBits(workStates);

interface Selected {
  /** Undefined where nothing is left. */
  readonly shown?: { readonly item: WorkItem; readonly file: QueueFile };
  readonly next: readonly QueuedString[];
  readonly left: number;
}

async function selectItem(
  { queue, context }: OpenQueue,
  held: ClaimIndex,
  request: PageRequest,
  writer: string | undefined,
): Promise<Selected> {
  const { want, tags, at, after } = request;
  const wanted = toBits(want);
  const text = request.text === undefined ? undefined : fold(request.text);
  const names = [...queue.content.source.keys()].filter(
    (name) => request.file === undefined || name.includes(request.file),
  );
  const matches = (file: QueueFile, key: string): boolean =>
    (tags === undefined || hasTag(notesOf(file, formsOf(file, key) ?? []), tags)) &&
    (text === undefined || textsOf(file, key).some((one) => fold(one).includes(text)));
  const start = at ?? after;
  const first = Math.max(
    0,
    names.findIndex((name) => name === start?.file),
  );
  const [next, before]: [QueuedString[], QueuedString[]] = [[], []];
  let behind: ReadonlySet<string> | undefined;
  const order = [...names.slice(first), ...names.slice(0, first)];
  const isFiltered = tags !== undefined || text !== undefined;
  const wants = withoutOwn(queue.locale, writer, wanted, isFiltered ? matches : undefined);
  const left = await walkQueue(queue, held, order, wanted, wants, (found) => {
    const { name, file, key, states } = found;
    if (name === start?.file) behind ??= keysBehind(file, start.key);
    const list = name === start?.file && behind?.has(key) === false ? before : next;
    if (list.length <= maxListed)
      list.push({
        file: name,
        key,
        state: firstState(states, wanted) ?? "missing",
        source: file.strings.texts.get(key) ?? "",
        translation: file.texts.get(key),
        expected: found.seen(),
      });
    return next.length <= maxListed;
  });
  const queued = [...next, ...before];
  const shown = at ?? queued[0];
  if (shown === undefined) return { next: [], left };
  const { file: name } = shown;
  const file = isFileName(name) ? await queue.file(name) : undefined;
  if (file === undefined || !isFileName(name)) throw unknownString();
  const key = itemKey(file, shown.key);
  // A string that was asked for may be in states that are not wanted.
  const states = statesOf(file, key, await queue.withheldIn(name, held));
  const item = await buildItem(context, name, file, key, firstState(states, at === undefined ? wanted : all));
  if (item === undefined) throw unknownString();
  const others = queued.filter((one) => !isSameAddress(one, item)).slice(0, maxListed);
  return { shown: { item, file }, next: others, left };
}

function unknownString(): Error {
  return failure("not-found", "This Hive has no such string; it may have been renamed or removed.");
}

/** The key of the item that a string is a part of: a plural form belongs to the item of the form `other`. */
function itemKey({ strings, plurals }: QueueFile, key: string): string {
  const form = plurals.formOf(strings, key);
  return form === undefined ? key : `${form.string.stem}other`;
}

/** The keys that come after one in a file. */
function keysBehind({ strings }: QueueFile, key: string): ReadonlySet<string> {
  const keys = [...strings.texts.keys()];
  return new Set(keys.slice(keys.indexOf(key) + 1));
}

function textsOf(file: QueueFile, key: string): readonly string[] {
  const texts = (formsOf(file, key) ?? []).flatMap((form) => [form.source, file.texts.get(form.key) ?? ""]);
  return [key, ...texts];
}

function toPageItem(
  { snapshot: { settings }, context: { terms, noteRules, isAccepted }, queue: { locale } }: OpenQueue,
  { item, file }: NonNullable<Selected["shown"]>,
): Omit<PageItem, "pictures"> {
  const checker = new FileChecker(
    { settings, rulesOf: formatRulesOf, terms, noteRules, isAccepted },
    item.file,
    file.strings,
  );
  const isChecked = settings.checks?.level !== "off";
  const forms = item.forms.map((form): PageForm => {
    const { key, source } = form;
    const text = file.texts.get(key) ?? "";
    return {
      ...form,
      checked: isChecked ? checker.checkInto({ locale: locale.code, key }, text) : undefined,
      found: terms === undefined ? [] : shownTermsIn(terms, item.syntax, source),
      waiting: waitingAt(file, key),
    };
  });
  const isOpen = item.state === "skipped" || statesOf(file, item.key) !== 0;
  const own = formsOf(file, item.key) ?? [];
  return { ...item, forms, notes: notesOf(file, own), isUnsent: isKeptFromEngines(file, own), isOpen };
}
