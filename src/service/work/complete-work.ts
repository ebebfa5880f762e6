/** Takes the answers to items of work, and saves them as one commit. */
import type { Ability } from "../../domain/access/token.ts";
import { branchNameOf, slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { subjectWithCounts, type ChangeMetadata } from "../../domain/commits/commit-message.ts";
import type { Origin } from "../../domain/commits/origin.ts";
import { invalid, Issues } from "../../domain/errors.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import { AddressMap } from "../../domain/move.ts";
import { isFileName, type Oid } from "../../domain/names.ts";
import type { Voice } from "../../domain/notes/thread.ts";
import { noteRulesOf } from "../../domain/notes/note-tags.ts";
import { withQuestions } from "../../domain/notes/note-changes.ts";
import type { KeyChange } from "../../domain/strings/hive-content.ts";
import { translatedFromAt, updateStaleMarkers } from "../../domain/strings/stale.ts";
import { contentWrites } from "../../domain/strings/translation-writes.ts";
import {
  applyAnswers,
  type AnswerContext,
  type AppliedAnswers,
  type RejectedText,
} from "../../domain/work/answers.ts";
import { findingsOf } from "../../domain/work/build-item.ts";
import { formsOf, waitingAt } from "../../domain/work/queue.ts";
import {
  skippedSeconds,
  type AnsweredItem,
  type WorkResult,
  type WorkState,
} from "../../domain/work/work.ts";
import { formatRulesOf } from "../../formats/held/format-rules.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { orInvalid } from "../../store/history/revision-store.ts";
import {
  speakerOf,
  type WritePlan,
  type CommitResult,
  type WriteContext,
} from "../../store/hives/write-context.ts";
import { voiceOf } from "../content/comments.ts";
import type { Claims } from "../../store/settings/claims.ts";
import type { Caller } from "../access.ts";
import { readTerms } from "../terms.ts";
import type { ContentStorage, StorageBase } from "../storage.ts";
import { withAcceptances } from "../../store/content/accepted-findings.ts";
import { ClaimIndex, ownerOf, toSkipped, withAnswers } from "./claims.ts";
import { LocaleQueue } from "./locale-queue.ts";
import { abilitiesFor, withAbilities, workLocale } from "./open-queue.ts";
import { notesKind } from "../../domain/notes/notes-kind.ts";
import { stringValuesChange } from "../../domain/sidecars/sidecar.ts";

export interface WorkDone {
  /** A code as the caller gave it. */
  readonly locale: string;
  /** At most {@link maxAnsweredItems}, of which no two are about one string. */
  readonly items: readonly AnsweredItem[];
  /** Who or what made the texts, and the message of the commit; the context's values count where these are undefined. */
  readonly origin?: Origin;
  readonly message?: string;
  /** Which texts may still be written, with what is stored under the lock; all where it is undefined. */
  readonly mayWrite?: AnswerContext["mayWrite"];
  /** The states that it looks at. */
  readonly want?: readonly WorkState[];
}

/** The most characters of all reasons together: the rest of a message would be cut off. */
const maxReasons = 1000;

/**
 * Stores the answers to items of work as one commit. Each answer is judged by itself: an answer that is refused, comes too
 * late or names no string says so in its result, and the others are saved. Errors that checks find refuse a text, whatever
 * the Hive's level is (except `off`), unless the context lets findings pass. A text that is stored already needs no commit;
 * the same text for a stale translation confirms it. All answers but refused ones end the caller's claims on their strings.
 *
 * The caller was given access to the Hive already.
 * @returns the results in the order of the items.
 * @throws SkepError `forbidden` when the token lacks `read`, or `write` (to approve and reject, `approve`), or is limited to
 * other locales; `invalid` on `locale`, on `items` where an answer has no `expected` and the caller has no claim on the
 * string; as {@link HiveWriter.commit}.
 */
export async function completeWork(
  storage: ContentStorage,
  caller: Caller,
  branch: HiveBranch,
  request: WorkDone,
  context: WriteContext,
): Promise<CommitResult<readonly WorkResult[]>> {
  const abilities = abilitiesOf(caller, request.items);
  const authorised = withAbilities(storage, caller, branch, context, abilities);
  const slug = slugOf(branch);
  const { settings } = await storage.hives.at(branch).snapshot();
  const locale = workLocale(caller, branch, settings, request.locale);
  const place = { owner: ownerOf(caller), branch: branchNameOf(branch), locale: locale.code };
  const held = new ClaimIndex(await storage.claims.read(slug), place);
  let skipped: AppliedAnswers["skipped"] = [];
  const own = contextOf(request, authorised);
  const committed = await storage.writer.commit(branch, own, async (snapshot) => {
    const answers = await apply(storage, caller, branch, request, { snapshot, held, context: own });
    requireSeen(answers);
    ({ skipped } = answers);
    return planOf(snapshot, answers, voiceOf(storage, own));
  });
  if (context.dryRun !== true) {
    const answered = committed.result.flatMap(({ file, key, status }) =>
      status !== "refused" && isFileName(file) ? [{ file, key }] : [],
    );
    const ends = storage.now() + skippedSeconds * 1000;
    await storage.claims.change(slug, async (claims): Promise<readonly [Claims, undefined]> => {
      const living = new ClaimIndex(claims, place);
      if (skipped.length === 0 && !answered.some((at) => living.hasOwn(at))) return [claims, undefined];
      const withheld = skipped.map((one) => toSkipped(place, one, one.now, ends));
      return [withAnswers(claims, place, answered, withheld), undefined];
    });
  }
  return committed;
}

/** The context of the commit: what the request says of it counts. */
function contextOf({ items, origin, message }: WorkDone, context: WriteContext): WriteContext {
  const { metadata } = context;
  const reasons = reasonsOf(items);
  if (Array.from(reasons).length > maxReasons)
    throw invalid("items", `must have reasons of at most ${maxReasons} characters together`);
  return {
    ...context,
    metadata: {
      ...metadata,
      origin: origin ?? metadata.origin,
      message: reasons === "" ? (message ?? metadata.message) : reasons,
    },
  };
}

/** The reasons of rejections as the message of the commit. */
function reasonsOf(items: readonly AnsweredItem[]): string {
  const reasons = items.flatMap(({ key, answer }) =>
    answer.kind === "reject" ? [{ key, reason: answer.reason }] : [],
  );
  const [first, ...others] = new Set(reasons.map(({ reason }) => reason));
  if (others.length === 0) return first ?? "";
  return reasons.map(({ key, reason }) => `${key}: ${reason}`).join("; ");
}

/** The abilities that answers need. */
function abilitiesOf(caller: Caller, items: readonly AnsweredItem[]): ReadonlySet<Ability> {
  return abilitiesFor(
    caller,
    items.flatMap(({ answer: { kind, ...answer } }): readonly WorkState[] => {
      if (kind === "skip" || kind === "unskip") return ["skipped"];
      if (kind === "approve" || kind === "reject") return ["review"];
      return "approve" in answer && answer.approve ? ["missing", "review"] : ["missing"];
    }),
  );
}

interface Basis {
  readonly snapshot: Snapshot;
  /** What the caller claimed and skipped. */
  readonly held: Pick<AnswerContext, "sinceClaim" | "isWithheld">;
  readonly context: Pick<WriteContext, "metadata" | "allowFindings">;
}

async function apply(
  storage: StorageBase,
  caller: Caller,
  branch: HiveBranch,
  request: WorkDone,
  { snapshot, held, context: { metadata, allowFindings = false } }: Basis,
): Promise<AppliedAnswers & { readonly queue: LocaleQueue }> {
  const locale = workLocale(caller, branch, snapshot.settings, request.locale);
  const withFailing = request.want?.includes("failing") === true;
  const queue = await LocaleQueue.open(snapshot, locale, { withFailing });
  const { settings } = queue.content;
  const { index: terms } = await readTerms(storage, slugOf(branch));
  const checks = {
    settings,
    locale,
    terms,
    noteRules: noteRulesOf(queue.notes),
    isAccepted: queue.isAccepted,
    rulesOf: formatRulesOf,
  };
  const fileOf: AnswerContext["fileOf"] = (name) => queue.file(name);
  const by = speakerOf(metadata);
  const own: Basis["held"] = {
    sinceClaim: (at, now) => held.sinceClaim(at, now),
    isWithheld: (at, now) => held.isWithheld(at, now),
  };
  const findings: AnswerContext["findingsOf"] = (name, file, keys, texts) =>
    findingsOf(checks, name, file)(keys, texts);
  const answers = {
    locale,
    fileOf,
    by,
    allowFindings,
    mayWrite: request.mayWrite,
    findingsOf: findings,
    isAccepted: queue.isAccepted,
    ...own,
  };
  return Object.assign(await applyAnswers(answers, request.items), { queue });
}

/** @throws SkepError `invalid` on `items`. */
function requireSeen({ unseen }: AppliedAnswers): void {
  const issues = new Issues();
  for (const index of unseen)
    issues.add(`items.${index}.expected`, "must be given where this token has no living claim on the string");
  issues.throwIfAny();
}

async function planOf(
  snapshot: Snapshot,
  { queue, ...applied }: AppliedAnswers & { readonly queue: LocaleQueue },
  voice: Voice,
): Promise<WritePlan<readonly WorkResult[]>> {
  const { results, saved, rejected, confirmed, unapproved, accepted, reviews, questions } = applied;
  const { content, locale } = queue;
  const changes = [...saved, ...rejected];
  const texts = changes.length + confirmed.length;
  if (texts + accepted.length + questions.size === 0 && reviews.isEmpty) return { result: results };
  const stored = await snapshot.values.stale.read([locale.code]);
  const writes = await contentWrites(content, new Map(), changes);
  // A text that a rejection puts back keeps the source text that it was made for; all others are for the present one.
  const putBack = new AddressMap<RejectedText>();
  for (const change of rejected) putBack.set(change, change);
  const staleMarkers = await updateStaleMarkers(
    content,
    stored,
    { changes: [...changes, ...confirmed], writes },
    (code, file, key) =>
      putBack.has({ file, key })
        ? (putBack.get({ file, key })?.approvedSource ??
          translatedFromAt({ content, markers: stored }, code, { file, key }))
        : undefined,
  );
  const acceptances = withAcceptances(await snapshot.values.accepted.files(locale.code), accepted);
  const plan = {
    result: results,
    change: { metadata: metadataOf(applied, locale), writes, values: [...staleMarkers, ...acceptances] },
    changes: saved,
    reviews,
    confirmed: unapproved,
  };
  if (questions.size === 0) return plan;
  const notes = stringValuesChange(notesKind, (now) => withQuestions(now, questions, voice));
  return { ...plan, values: [notes], isDiscussion: true };
}

function metadataOf({ results, saved, confirmed, counts }: AppliedAnswers, locale: Locale): ChangeMetadata {
  const asked = results.filter(({ status }) => status === "asked").length;
  const changed = (kind: KeyChange["change"]): number => saved.filter(({ change }) => change === kind).length;
  const { approved, rejected } = counts;
  return {
    subject: subjectWithCounts(`Work on ${codeOf(locale)}`, { ...counts, asked }, "nothing"),
    // rejections.ts finds the reasons of rejections by this operation.
    operation: results.some(({ status }) => status === "rejected") ? "reject" : "work",
    counts: {
      created: changed("created"),
      updated: changed("updated"),
      cleared: changed("cleared"),
      confirmed: confirmed.length,
      approved,
      rejected,
      accepted: counts.accepted,
      asked,
    },
  };
}

/** The first request has ended the claims and shown strings again, so that nothing can be compared with them any more. */
const heldThen: Basis["held"] = { sinceClaim: () => "nothing", isWithheld: () => true };

/**
 * The results of a request that is sent again, whose answers are stored. The answers are judged once more, at the state
 * before their commit. Claims are not stored for this: where an answer relied on one, it is a `conflict` if the commit did
 * not store it.
 * @param commit of the first request.
 * @throws SkepError `content-invalid`; as {@link completeWork} for the token.
 */
export async function repeatWork(
  storage: StorageBase,
  caller: Caller,
  branch: HiveBranch,
  request: WorkDone,
  { commit, context }: { readonly commit: Oid; readonly context: WriteContext },
): Promise<readonly WorkResult[]> {
  // The branch may have been deleted since; its commit has not.
  const hive = storage.hives.at(slugOf(branch));
  const after = await hive.snapshotAt(commit, "Idempotency-Key");
  const [parent = commit] = after.commit.parents;
  // The request saw the settings that its commit has, which a branch takes over from main.
  const readBefore = () => hive.revisions.read(parent, after, after.storedSettings);
  const before = await orInvalid("Idempotency-Key", readBefore);
  const basis = { context, held: heldThen };
  const [then, now] = await Promise.all([
    apply(storage, caller, branch, request, { ...basis, snapshot: before }),
    apply(storage, caller, branch, request, { ...basis, snapshot: after }),
  ]);
  const open = new Set([...now.saved, ...now.rejected].map(({ file, key }) => `${file}\0${key}`));
  const results: WorkResult[] = [];
  for (const [i, result] of then.results.entries()) {
    const { file, key } = result;
    const queueFile = isFileName(file) ? await now.queue.file(file) : undefined;
    const forms = queueFile && formsOf(queueFile, key);
    const answer = request.items[i]?.answer;
    const isApproved = answer?.kind === "approve" || (answer?.kind === "forms" && answer.approve);
    const isDone = forms?.every((form) => {
      const waits = isApproved && queueFile !== undefined && waitingAt(queueFile, form.key) !== undefined;
      return !waits && !open.has(`${file}\0${form.key}`);
    });
    const isStored =
      result.status === "saved" || result.status === "approved" || result.status === "rejected";
    const isSettled = !isStored || isDone === true || request.items[i]?.expected !== undefined;
    results.push(isSettled ? result : { file, key, status: "conflict" });
  }
  return results;
}
