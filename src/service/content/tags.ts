/** Tags: names for commits that never move, so that a release can be exported for ever. */
import { createHash } from "node:crypto";
import type { Author } from "../../domain/commits/commit-message.ts";
import { parseCommitMessage } from "../../domain/commits/commit-record.ts";
import type { HiveSlug, Oid } from "../../domain/names.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import { toTagName } from "../../domain/commits/tag-name.ts";
import type { TagInfo } from "../../store/history/revision-store.ts";
import type { OffsetLimit } from "../../domain/pagination.ts";
import type { WriteContext } from "../write-context.ts";
import type { Versioned } from "./queries.ts";
import type { Storage } from "../storage.ts";

export interface TagRequest {
  readonly name: string;
  /** A revision; HEAD when undefined. */
  readonly at?: string;
}

/** A tag as lists show it; one that was made by `git tag` without `-a` says nothing but what it marks. */
export interface Tag {
  readonly name: string;
  readonly commit: Oid;
  /** In seconds since 1970. */
  readonly time?: number;
  readonly tagger?: Author;
  readonly message?: string;
  readonly ref?: string;
}

export interface TagPage {
  readonly tags: readonly Tag[];
  readonly total: number;
}

/**
 * Marks a commit by an annotated tag.
 * @throws SkepError `invalid` on `name` or `at`; `conflict` when the name is taken or cannot be stored beside another;
 * `quota` when the Hive has as many as it may.
 */
export async function createTag(
  storage: Storage,
  slug: HiveSlug,
  request: TagRequest,
  context: WriteContext,
): Promise<Tag> {
  const name = toTagName(request.name);
  const at = toRevision(request.at ?? "main");
  const created = await storage.writer.tag(slug, context, async (revisions) => {
    const tip = storage.hives.at(slug).head();
    return {
      name,
      commit: request.at === undefined ? tip : (await revisions.resolve(at, "at", { tip })).commit,
      limit: storage.limits.maxTags,
      metadata: { subject: `Tag ${name}`, operation: "tag" },
    };
  });
  return toTag(created);
}

/** The tags of a Hive, by name in byte order. Those that mark no commit count, and are left out. */
export async function listTags(
  { hives }: Storage,
  slug: HiveSlug,
  { offset, limit }: OffsetLimit,
): Promise<Versioned<TagPage>> {
  const revisions = hives.at(slug).revisions;
  const commit = hives.at(slug).head();
  const targets = [...(await revisions.listTags())];
  const read = async (): Promise<TagPage> => {
    const page = targets.slice(offset, offset + limit);
    const found = await Promise.all(page.map(([name, target]) => revisions.readTag(name, target)));
    return { tags: found.flatMap((tag) => (tag === undefined ? [] : [toTag(tag)])), total: targets.length };
  };
  return {
    commit,
    version: createHash("sha1").update(JSON.stringify(targets)).digest("hex"),
    read,
  };
}

function toTag({ name, commit, written }: TagInfo): Tag {
  if (written === undefined) return { name, commit };
  const ours = parseCommitMessage(written.message, true);
  const { message, ref } =
    ours.operation === "tag" ? ours : { message: written.message.trim(), ref: undefined };
  return { name, commit, time: written.time, tagger: written.tagger, message, ref };
}
