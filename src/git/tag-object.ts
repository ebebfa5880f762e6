/** Peels a tag to its commit, through one annotated tag or several. */
import type { Oid } from "../domain/names.ts";
import { unlessUnreadable, type BareRepo } from "./bare-repo.ts";
import { parseAnnotatedTag, type AnnotatedTag } from "./objects/commit-text.ts";

export interface PeeledTag {
  /** Undefined when the tag does not lead to a commit, or cannot be read. */
  readonly commit: Oid | undefined;
  /** The annotation of the tag; of several, the outermost. */
  readonly written: AnnotatedTag | undefined;
  /** The tag objects between the ref and the commit, as far as they are known. */
  readonly objects: readonly Oid[];
}

/** The longest chain of tags that is followed. */
const maxDepth = 5;

/** Peels the object that a tag refers to. */
export async function peelTag(repo: BareRepo, target: Oid): Promise<PeeledTag> {
  const objects: Oid[] = [];
  let written: AnnotatedTag | undefined;
  let oid = target;
  while (objects.length <= maxDepth) {
    const tag = await unlessUnreadable(repo.readAs(oid, "tag", parseAnnotatedTag), undefined);
    if (tag === undefined && (await unlessUnreadable(repo.readCommit(oid), undefined)) !== undefined)
      return { commit: oid, written, objects };
    objects.push(oid);
    if (tag === undefined) break;
    written ??= tag;
    oid = tag.object;
  }
  return { commit: undefined, written, objects };
}
