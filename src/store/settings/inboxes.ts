/**
 * Up to when each person has seen what concerns them, and was mailed, `inboxes/<person>.json`. Nothing is lost with it but
 * what was new, so the file is no part of a backup, and is as an empty one where it cannot be read.
 */
import { z } from "zod";
import type { PersonId } from "../../domain/names.ts";
import type { Documents } from "../record/record.ts";
import { count, time } from "../../domain/hives/stored-fields.ts";
import { VolatileFiles, withoutFormat } from "./volatile-files.ts";

const inboxFile = z
  .strictObject({
    format: z.literal(1),
    seen: time.optional(),
    /** The day of the last digest that was mailed by itself. */
    digest: z.iso.date().optional(),
    /** What waited when the last digest was made, by Hive. */
    told: z.record(z.string(), z.array(count).readonly()).optional(),
  })
  .transform(withoutFormat);

export type WaitingCounts = Readonly<Record<string, readonly number[]>>;

/** Times in ISO 8601, UTC. */
export type InboxState = Readonly<z.infer<typeof inboxFile>>;

export class InboxStore extends VolatileFiles<PersonId, InboxState> {
  constructor(documents: Documents) {
    super(documents, {
      pathOf: (person) => `inboxes/${person}.json`,
      schema: inboxFile,
      empty: {},
      toJson: (state) => ({ format: 1, ...state }),
    });
  }
}
