/** Takes pushes by git's smart HTTP protocol: limits them, and applies the Hive's settings for pushes. */
import { isBranchName, mainBranch, toBranchName, type BranchName } from "../../domain/commits/branch-name.ts";
import { subjectWithCounts } from "../../domain/commits/commit-message.ts";
import { invalid, isFailure, isSkepError, SkepError } from "../../domain/errors.ts";
import type { PushPolicy } from "../../domain/hives/hive-settings.ts";
import type { HiveSlug, Oid } from "../../domain/names.ts";
import type { AmbiguousMove } from "../../domain/moves/detection.ts";
import { counted, excerpt } from "../../domain/text.ts";
import { FairSemaphore } from "../../disk/fair-semaphore.ts";
import { checkPack } from "../../git/serve/check-pack.ts";
import type { PushCommand, PushRequest, PushResult } from "../../git/serve/push-request.ts";
import type { HiveGrant } from "../access.ts";
import { acceptPush, type PushCounts } from "../content/push.ts";
import type { ContentStorage, StorageBase } from "../storage.ts";
import type { WriteContext } from "../../store/hives/write-context.ts";
import { withTimeout } from "../../deadline.ts";

export interface PushLimits {
  /** How many pushes are taken at once; 0 turns pushing off. */
  readonly maxPushes: number;
  /** How long one push may take, in milliseconds. */
  readonly pushTimeout: number;
  /** How many objects one push may have, and how many bytes they may take unpacked. */
  readonly maxPushObjects: number;
  readonly maxPushBytes: number;
  /** How many bytes and values a file may have: as many as a request. */
  readonly bodyLimit: number;
  readonly bodyValues: number;
}

export interface PushAnswer {
  readonly results: readonly PushResult[];
  /** Lines for its user. */
  readonly messages: readonly string[];
  /** Why a branch, the first of several, was refused; undefined for an accepted push. */
  readonly error: SkepError | undefined;
}

const retryAfter = 5;
const maxWaiting = 32;
const refusal = "Too many pushes at once; try again soon.";

/** Takes a bounded number of pushes at once, shared fairly between teams; the others wait. */
export class Pushes {
  readonly #limits: PushLimits;
  readonly #places: FairSemaphore;

  /** @param limits without `maxPushes` no pushes are taken. */
  constructor({
    maxPushes = 0,
    pushTimeout = 0,
    maxPushObjects = 0,
    maxPushBytes = 0,
    ...limits
  }: Partial<PushLimits> & Pick<PushLimits, "bodyLimit" | "bodyValues">) {
    this.#limits = { ...limits, maxPushes, pushTimeout, maxPushObjects, maxPushBytes };
    this.#places = new FairSemaphore({ size: maxPushes, maxWaiting, refusal, retryAfter });
  }

  /** Why a Hive takes no pushes at all; undefined when it takes some. */
  async refusal(storage: StorageBase, slug: HiveSlug): Promise<string | undefined> {
    const api = `import texts over the API instead, POST /api/hives/${slug}/strings or /translations/{locale}`;
    if (this.#limits.maxPushes === 0) return `This server takes no pushes: ${api}.`;
    const { settings } = await storage.hives.at(slug).snapshot();
    return settings.push === "none" ? `This Hive takes no pushes: ${api}.` : undefined;
  }

  /**
   * Takes a push.
   * @param gone fires when the client has disconnected.
   * @returns the answer for the client, which says whether the push was accepted.
   * @throws SkepError when the caller's rights were revoked meanwhile, or the disk is full; unexpected errors.
   */
  async receive(
    storage: ContentStorage,
    hive: HiveGrant,
    request: PushRequest,
    context: WriteContext,
    gone: AbortSignal,
  ): Promise<PushAnswer> {
    const signal = withTimeout(gone, this.#limits.pushTimeout);
    const { commands, reportFormat } = request;
    const take = { ...request, context, signal };
    const answers: PushAnswer[] = [];
    const answer = async (
      about: readonly PushCommand[],
      run: () => Promise<readonly string[]>,
    ): Promise<PushAnswer> => {
      try {
        return { results: about.map(({ ref }) => ({ ref })), messages: await run(), error: undefined };
      } catch (error) {
        const cause = isSkepError(error) || !signal.aborted ? error : busy("This push took too long.", error);
        // These are errors of the request, as of any other, unless a branch has moved already.
        const isOfRequest =
          !isSkepError(cause) ||
          ["unauthenticated", "forbidden", "disk-full", "storage-missing"].includes(cause.code);
        if (!isSkepError(cause) || (isOfRequest && answers.length === 0)) throw cause;
        return refusalOf(about, cause);
      }
    };
    const whole = await answer(commands, () =>
      this.#places.run(hive.team, signal, async () => {
        requireSeparate(commands, reportFormat.atomic);
        for (const command of commands) {
          answers.push(await answer([command], () => this.#take(storage, hive, toOrder(command), take)));
        }
        return [];
      }),
    );
    return whole.error === undefined ? joined(answers) : whole;
  }

  async #take(
    storage: ContentStorage,
    { slug, locales }: HiveGrant,
    { branch: name, before, tip }: Order,
    { pack, context, signal }: Taken,
  ): Promise<readonly string[]> {
    const { maxPushObjects: objects, maxPushBytes: bytes, bodyLimit: fileBytes, bodyValues } = this.#limits;
    const { settings } = await storage.hives.at(slug).snapshot();
    requireTaken(settings.push ?? "branches", name, slug);
    if (before === undefined && locales !== undefined)
      throw invalid(name, "this token may not create branches");
    const branch = name === mainBranch ? slug : { slug, branch: name };
    const order = { before, tip, locales, limits: { bytes: fileBytes, values: bodyValues } };
    const checked = await checkPack(pack, { objects, bytes, fileBytes });
    const unpack = { ...checked, maxBaseBytes: bytes, signal };
    const { result, commit } = await storage.writer.receive(slug, unpack, (pushed) =>
      acceptPush(storage, branch, pushed, order, context),
    );
    return acceptance(result, commit);
  }
}

type Taken = Pick<PushRequest, "pack"> & { readonly context: WriteContext; readonly signal: AbortSignal };

interface Order {
  readonly branch: BranchName;
  /** Where the branch was when the client looked; undefined for one that is to be made. */
  readonly before: Oid | undefined;
  readonly tip: Oid;
}

const branchPattern = /^refs\/heads\/(.+)$/s;

/** How many branches one push may have: each is checked by itself. */
const maxRefs = 20;

/** @throws SkepError `invalid` unless each branch may be moved by itself. */
function requireSeparate({ length }: readonly PushCommand[], isAtomic: boolean): void {
  if (length > 1 && isAtomic) {
    throw invalid("push", "several branches are not moved all or none: push without --atomic");
  }
  if (length > maxRefs) throw invalid("push", `push ${maxRefs} branches at a time`);
}

function refusalOf(commands: readonly PushCommand[], error: SkepError): PushAnswer {
  const isListed = isFailure(error, "invalid");
  const refused = isListed ? "see what is said above" : error.message;
  const results = commands.map(({ ref }) => ({ ref, refused }));
  return { results, messages: isListed ? listed(error) : [refused], error };
}

/** The answers about each of several branches as one. */
function joined(answers: readonly PushAnswer[]): PushAnswer {
  const isOne = answers.length === 1;
  return {
    results: answers.flatMap(({ results }) => results),
    messages: answers.flatMap(({ results, messages }) => {
      const name = excerpt(results[0]?.ref.replace("refs/heads/", "") ?? "");
      return isOne ? messages : messages.map((text) => (text.startsWith(name) ? text : `${name}: ${text}`));
    }),
    error: answers.find(({ error }) => error !== undefined)?.error,
  };
}

/** @throws SkepError `invalid` unless a branch is to be moved. */
function toOrder({ ref, before, after }: PushCommand): Order {
  if (ref.startsWith("refs/tags/")) throw invalid(ref, "tags cannot be pushed; create them over the API");
  const [, branch = ""] = branchPattern.exec(ref) ?? [];
  if (!isBranchName(branch)) throw invalid(excerpt(ref), "is not a branch, and only branches can be pushed");
  if (after === undefined) throw invalid(ref, "a push cannot delete a branch");
  if (before === undefined) toBranchName(branch, "branch");
  return { branch, before, tip: after };
}

/** @throws SkepError `invalid` where the Hive's settings do not allow it. */
function requireTaken(policy: PushPolicy, branch: BranchName, slug: HiveSlug): void {
  const isMain = branch === mainBranch;
  if (policy === "all" || (policy === "branches" && !isMain)) return;
  const what = isMain ? "main takes no pushes" : "this Hive takes no pushes";
  throw invalid(
    branch,
    `${what}; its owner can allow them: skep hive edit ${slug} --push ${isMain ? "all" : "branches"}`,
  );
}

/** The faults one by one, and the message where it is none of them. */
function listed({ message, data }: SkepError<"invalid">): readonly string[] {
  const lines = data.issues.map((issue) => issue.message);
  const [first = ""] = lines;
  const left = data.total - lines.length;
  const more = left > 0 ? [`and ${left} more`] : [];
  return [...lines, ...more, ...(message.startsWith(first) ? [] : [message])];
}

function acceptance(counts: PushCounts | undefined, commit: Oid): readonly string[] {
  if (counts === undefined) return ["The branch has these commits already."];
  const { commits, created, updated, deleted, moved, ambiguous } = counts;
  const what = subjectWithCounts(
    commits === 0 ? "the commits of another branch" : counted(commits, "commit"),
    { created, updated, deleted, moved },
    "no text changed",
  );
  const notMoved = ambiguous.slice(0, maxAmbiguous).map(toNotMoved);
  return [
    `Accepted ${what}.`,
    ...notMoved,
    `The branch is at ${commit.slice(0, 10)} now; get it with: git pull`,
  ];
}

/** How many texts of ambiguous moves are listed, and how many strings of each. */
const maxAmbiguous = 10;
const maxStrings = 3;

function toNotMoved({ text, from, to }: AmbiguousMove): string {
  return `Not moved, since several strings have the text "${excerpt(text)}": ${named(from)} -> ${named(to)}`;
}

function named(strings: AmbiguousMove["from"]): string {
  const names = strings.slice(0, maxStrings).map(({ file, key }) => `${file}: ${excerpt(key)}`);
  return [...names, ...(strings.length > maxStrings ? ["…"] : [])].join(", ");
}

function busy(message: string, cause: unknown): SkepError {
  return new SkepError("busy", message, { retryAfter }, { cause });
}
