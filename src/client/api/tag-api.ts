/** The requests that the client makes about the tags of a Hive. */
import { z } from "zod";
import { HivePart } from "./hive-part.ts";
import { toHeader } from "./write-options.ts";

const text = z.string().nullable();

const tag = z.object({
  name: z.string(),
  commit: z.string(),
  time: text,
  tagger: z.object({ name: z.string() }).nullable(),
  message: text,
  ref: text,
});
export type Tag = z.output<typeof tag>;

export interface NewTag {
  readonly name: string;
  /** A revision; main if not given. */
  readonly at?: string;
  readonly message?: string;
  /** The app's commit. */
  readonly ref?: string;
}

export class TagApi extends HivePart {
  /** All tags, by name. @throws ClientError, as every method does. */
  list(): Promise<readonly Tag[]> {
    return this.all("", {}, tag);
  }

  create({ name, at, message, ref }: NewTag): Promise<Tag> {
    const headers = { "x-commit-message": toHeader(message), "x-commit-ref": ref };
    return this.data("POST", "", { body: { name, at }, headers, schema: tag });
  }
}
