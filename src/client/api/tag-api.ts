/** The requests that the client makes about the tags of a Hive. */
import type { z } from "zod";
import { once } from "../../on-demand.ts";
import type { Read } from "./as-read.ts";
import { HivePart } from "./hive-part.ts";

const declared = once(async () => {
  const { tags } = await import("../../api/content/tags.ts");
  return { ...tags.operations, tag: tags.operations.createTag.response };
});

export type Tag = Read<z.output<Awaited<ReturnType<typeof declared>>["tag"]>>;

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
  async list(): Promise<readonly Tag[]> {
    const { listTags, tag } = await declared();
    return (await this.callAll(listTags, tag)).data;
  }

  async create({ name, at, ...options }: NewTag): Promise<Tag> {
    const { createTag } = await declared();
    return (await this.call(createTag, { ...options, body: { name, at } })).data;
  }
}
