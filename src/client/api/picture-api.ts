/** The requests about the pictures of a Hive, at its branch. */
import { z } from "zod";
import type { Box } from "../../domain/pictures/picture.ts";
import { HivePart } from "./hive-part.ts";

const box = z.object({
  string: z.string(),
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
});

const picture = z.object({
  hash: z.string(),
  name: z.string(),
  width: z.number(),
  height: z.number(),
  strings: z.array(z.string()),
  boxes: z.array(box).default([]),
});
export type HivePicture = z.infer<typeof picture>;

export interface SentPicture {
  readonly name: string;
  readonly content: Buffer;
  readonly strings: readonly string[];
  readonly boxes: readonly Box[];
}

export class PictureApi extends HivePart {
  /** All pictures, by their names. @throws ClientError, as every method does. */
  list(): Promise<readonly HivePicture[]> {
    return this.all("", {}, picture);
  }

  add({ content, ...sent }: SentPicture): Promise<HivePicture> {
    const body = { ...sent, content: content.toString("base64") };
    return this.data("POST", "", { body, schema: picture });
  }

  /** The image of a picture. */
  image(hash: string): Promise<Buffer> {
    const path = `${this.path}/${encodeURIComponent(hash)}`;
    return this.http.bytes({ path, query: { branch: this.branch } });
  }

  async remove(hash: string): Promise<void> {
    const schema = z.object({ deleted: z.number() });
    await this.request("DELETE", `/${encodeURIComponent(hash)}`, { schema });
  }
}
