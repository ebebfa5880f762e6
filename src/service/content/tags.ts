/** Creates and lists tags: names of commits that never move, so that a release can be exported for ever. */
import { type Author, parseCommitMessage } from "../../domain/commits/commit-message.ts";
import type { HiveSlug, Oid } from "../../domain/names.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import { toTagName } from "../../domain/commits/ref-name.ts";
import type { TagInfo } from "../../store/history/revision-store.ts";
import { pageOf, type OffsetLimit, type Page } from "../../domain/pagination.ts";
import type { WriteContext } from "../../store/hives/write-context.ts";
import type { Versioned } from "./queries.ts";
import type { ContentStorage, StorageBase } from "../storage.ts";
import { versionOf } from "./branches.ts";

export interface TagRequest {
  readonly name: string;
  /** A revision; HEAD when undefined. */
  readonly at?: string;
}

/** A tag as lists show it. A lightweight tag, made by `git tag` without `-a`, has only a name and a commit. */
export interface Tag {
  readonly name: string;
  readonly commit: Oid;
  /** In seconds since 1970. */
  readonly time?: number;
  readonly tagger?: Author;
  readonly message?: string;
  readonly ref?: string;
}

/**
 * Marks a commit by an annotated tag.
 * @throws SkepError `invalid` on `name` or `at`; `conflict` when the name is taken or cannot be stored beside another;
 * `quota` when the Hive has as many as it may.
 */
export async function createTag(
  storage: ContentStorage,
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

/**
 * The tags of a Hive, by name in byte order. Tags of other objects than commits count for the limit, and are left out.
 */
export async function listTags(
  { hives }: StorageBase,
  slug: HiveSlug,
  paging: OffsetLimit,
): Promise<Versioned<Page<Tag>>> {
  const revisions = hives.at(slug).revisions;
  const commit = hives.at(slug).head();
  const targets = [...(await revisions.listTags())];
  const read = async (): Promise<Page<Tag>> => {
    const { entries, total } = pageOf(targets, paging);
    const found = await Promise.all(entries.map(([name, target]) => revisions.readTag(name, target)));
    return { entries: found.flatMap((tag) => (tag === undefined ? [] : [toTag(tag)])), total };
  };
  return { commit, version: versionOf(targets), read };
}

function toTag({ name, commit, written }: TagInfo): Tag {
  if (written === undefined) return { name, commit };
  const ours = parseCommitMessage(written.message, true);
  const { message, ref } =
    ours.operation === "tag" ? ours : { message: written.message.trim(), ref: undefined };
  return { name, commit, time: written.time, tagger: written.tagger, message, ref };
}
