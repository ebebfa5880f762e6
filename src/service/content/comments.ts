/** Comments on strings: lists them, and makes, changes and deletes them. */
import { randomBytes } from "node:crypto";
import type { Voice } from "../../domain/notes/thread.ts";
import { speakerOf, type WriteContext } from "../../store/hives/write-context.ts";
import type { Storage } from "../storage.ts";

/** Who speaks in a write, and when. */
export function voiceOf({ now }: Pick<Storage, "now">, { metadata }: Pick<WriteContext, "metadata">): Voice {
  return { by: speakerOf(metadata), at: now(), newId: newCommentId };
}

function newCommentId(): string {
  return randomBytes(8).toString("hex");
}
