/**
 * The queue of work: hands out the strings of a locale that need work, each with all that is known about it, and claims them
 * for a while. A claim only keeps others from doing the same work. Whether an answer is stored depends on the texts that its
 * writer has seen.
 */
import { randomBytes } from "node:crypto";
import { writerOf } from "../../domain/access/principal.ts";
import { branchNameOf, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { failure } from "../../domain/errors.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { StringAddress } from "../../domain/move.ts";
import type { FileName, Oid } from "../../domain/names.ts";
import { hasTag, type WantedTags } from "../../domain/notes/note-tags.ts";
import { buildItem, estimateTokens, type ItemContext } from "../../domain/work/build-item.ts";
import { firstState, formsOf, notesOf, statesOf, toBits, type QueueFile } from "../../domain/work/queue.ts";
import {
  usualHits,
  maxWorkItems,
  type SeenTexts,
  type WorkItem,
  type WorkState,
} from "../../domain/work/work.ts";
import type { Claim, ClaimedString, Claims } from "../../store/settings/claims.ts";
import { authorizeHive, requireAbility, type Caller } from "../access.ts";
import { openMemory, type MemoryHit } from "../memory/memory.ts";
import type { ContentStorage } from "../storage.ts";
import { countClaimed, ClaimIndex, ownerOf, releaseClaim, toClaimed } from "./claims.ts";
import { type LocaleQueue, walkQueue, withoutOwn } from "./locale-queue.ts";
import { abilitiesFor, openQueue } from "./open-queue.ts";

export interface WorkRequest {
  /** A code as the caller gave it. */
  readonly locale: string;
  readonly want: readonly WorkState[];
  readonly files?: readonly string[];
  readonly tags?: WantedTags;
  /** The most items, from 1 to {@link maxWorkItems}. */
  readonly maxItems: number;
  /** About as many tokens as all items together may take; there is always one item. Unlimited when undefined. */
  readonly maxTokens?: number;
  readonly claimSeconds: number;
  /** Whether a string is left out, with what it has now. */
  readonly isLeftOut?: (at: StringAddress, file: QueueFile, texts: SeenTexts) => boolean;
  /** Codes of the locales whose translations are shown, too, at most five; three of them when undefined. */
  readonly otherLocales?: readonly string[];
  /** How many hits of the memory each item gets, at most; {@link usualHits} when undefined. */
  readonly memory?: number;
}

export interface Work {
  readonly claim: string | undefined;
  /** In milliseconds since 1970. */
  readonly expiresAt: number | undefined;
  /** The commit that the items are from, and the settings of the Hive. */
  readonly commit: Oid;
  readonly settings: HiveSettings;
  /** The style guide of the locale; empty where there is none. */
  readonly style: string;
  /** As long as it is the same, so are the terms of the glossary. */
  readonly glossaryVersion: string;
  readonly items: readonly WorkItem[];
  /** An estimate for all items. */
  readonly tokens: number;
  /** How many strings are left beside these, without those that the caller has skipped unless they are wanted. */
  readonly left: number;
  /** How many of the strings that are left are claimed, by the caller or by others. */
  readonly claimed: number;
}

/**
 * Hands out strings of a locale and claims them for the caller. Files come in byte order of their names, strings in
 * the order of the source. Strings that are claimed are not handed out; those that the caller has skipped or that somebody
 * has asked about only where the states `skipped` and `asked` are wanted.
 *
 * The caller was given access to the Hive already.
 * @throws SkepError `forbidden` when the token lacks `read`, or `write` (for the state `review`, `approve`), or is limited
 * to other locales; `invalid` on `locale`, on `other_locales`; `quota` (`limit_reached`) when the caller has claimed as many
 * strings of the Hive as they may; `content-invalid`.
 */
export async function nextWork(
  storage: ContentStorage,
  caller: Caller,
  branch: HiveBranch,
  request: WorkRequest,
): Promise<Work> {
  for (const ability of abilitiesFor(caller, request.want)) requireAbility(caller, ability);
  const slug = slugOf(branch);
  const owner = ownerOf(caller);
  // Counting takes long, and the counts are cached: done here first, it does not make others wait for the claims.
  const { queue } = await openQueue(storage, caller, branch, request);
  await countAll(queue, request);
  const handedOut = await storage.claims.change(slug, async (before): Promise<readonly [Claims, Work]> => {
    const opened = await openQueue(storage, caller, branch, request);
    const place = { owner, branch: branchNameOf(branch), locale: opened.queue.locale.code };
    const room = maxWorkItems - countClaimed(before, owner);
    if (room <= 0) throw tooManyClaimed();
    const most = { ...request, maxItems: Math.min(request.maxItems, room) };
    const writer = writerOf(caller.principal);
    const selected = await selectItems(
      opened.queue,
      opened.context,
      new ClaimIndex(before, place),
      most,
      writer,
    );
    const { claimedStrings, ...work } = selected;
    const { style, glossaryVersion, snapshot } = opened;
    const { commit, settings } = snapshot;
    const answer = { commit: commit.oid, settings, style, glossaryVersion, ...work };
    if (work.items.length === 0) return [before, { ...answer, claim: undefined, expiresAt: undefined }];
    const claim: Claim = {
      id: randomBytes(12).toString("hex"),
      ...place,
      by: writerOf(caller.principal) ?? "",
      ends: storage.now() + request.claimSeconds * 1000,
      items: claimedStrings,
    };
    const after = { ...before, claims: [...before.claims, claim] };
    return [after, { ...answer, claim: claim.id, expiresAt: claim.ends }];
  });
  try {
    return await withMemory(storage, caller, branch, request, handedOut);
  } catch (error) {
    // Nobody was told of these strings: they are free again.
    if (handedOut.claim !== undefined) await releaseClaim(storage, caller, branch, handedOut.claim);
    throw error;
  }
}

/** How many items have hits of the memory, and how long their texts may be. */
const maxLookups = 50;
const maxLookedUp = 5_000;

/** Work whose items have hits of the memory, as far as there are tokens for them. */
export async function withMemory<Some extends Pick<Work, "items" | "tokens">>(
  storage: ContentStorage,
  caller: Caller,
  branch: HiveBranch,
  {
    locale,
    memory: most = usualHits,
    maxTokens = Infinity,
  }: Pick<WorkRequest, "locale" | "memory" | "maxTokens">,
  work: Some,
): Promise<Some> {
  if (most === 0 || work.items.length === 0) return work;
  const hive = authorizeHive(caller, slugOf(branch), "read");
  const { find } = await openMemory(storage, { hive, branch, locale });
  let { tokens } = work;
  const items: WorkItem[] = [];
  for (const [place, item] of work.items.entries()) {
    const own = new Map(item.forms.map(({ key, translation }) => [key, translation]));
    const isOwn = ({ file, key, text, former, ...hit }: MemoryHit): boolean =>
      hit.hive === hive.slug && file === item.file && own.has(key) && (!former || own.get(key) === text);
    const source = item.forms.find(({ key }) => key === item.key)?.source ?? "";
    const isLookedUp =
      place < maxLookups && source !== "" && source.length <= maxLookedUp && tokens < maxTokens;
    const hits = isLookedUp ? await find(source, most + own.size) : [];
    const found = hits.filter((hit) => !isOwn(hit)).slice(0, most);
    const memory: MemoryHit[] = [];
    for (const hit of found) {
      const cost = estimateTokens(JSON.stringify(hit));
      if (tokens + cost > maxTokens) break;
      tokens += cost;
      memory.push(hit);
    }
    items.push({ ...item, memory });
  }
  return { ...work, items, tokens };
}

function tooManyClaimed(): Error {
  return failure(
    "quota",
    `You have claimed ${maxWorkItems} strings of this Hive, with all your tokens: answer them, give them back, or let their claims end.`,
    { publicCode: "limit_reached" },
  );
}

function filesIn({ content }: LocaleQueue, { files }: Pick<WorkRequest, "files">): readonly FileName[] {
  if (files === undefined) return [...content.source.keys()];
  const wanted = new Set(files);
  return Array.from(content.source.keys()).filter((name) => wanted.has(name));
}

async function countAll(queue: LocaleQueue, request: WorkRequest): Promise<void> {
  for (const name of filesIn(queue, request)) await queue.counts(name);
}

type Selected = Pick<Work, "items" | "tokens" | "left" | "claimed"> & {
  readonly claimedStrings: readonly ClaimedString[];
};

async function selectItems(
  queue: LocaleQueue,
  context: ItemContext,
  held: ClaimIndex,
  { want, tags, files, maxItems, maxTokens = Infinity, isLeftOut }: WorkRequest,
  writer: string | undefined,
): Promise<Selected> {
  const wanted = toBits(want);
  const names = filesIn(queue, { files });
  const hasTags = (file: QueueFile, key: string): boolean =>
    tags === undefined || hasTag(notesOf(file, formsOf(file, key) ?? []), tags);
  const items: WorkItem[] = [];
  const claimedStrings: ClaimedString[] = [];
  let tokens = 0;
  const matches = withoutOwn(queue.locale, writer, wanted, tags === undefined ? undefined : hasTags);
  const total = await walkQueue(queue, held, names, wanted, matches, async (found) => {
    const { name, file, key, states, seen } = found;
    if (isLeftOut?.({ file: name, key }, file, seen()) === true) return true;
    const item = await buildItem(context, name, file, key, firstState(states, wanted));
    if (item === undefined) return true;
    const cost = estimateTokens(JSON.stringify(item));
    if (items.length > 0 && tokens + cost > maxTokens) return false;
    items.push(item);
    claimedStrings.push(toClaimed({ file: name, key }, seen()));
    tokens += cost;
    return items.length < maxItems;
  });
  let claimed = 0;
  const selected = new Set(names);
  for (const name of [...held.claimed.files].filter((each) => selected.has(each))) {
    const withheld = await queue.withheldIn(name, held);
    const file = await queue.file(name);
    if (file === undefined) continue;
    for (const key of held.claimed.of(name).keys())
      if ((statesOf(file, key, withheld) & wanted) !== 0 && hasTags(file, key)) claimed++;
  }
  return { items, claimedStrings, tokens, left: total - items.length, claimed };
}
