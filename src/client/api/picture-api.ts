/** The requests about the pictures of a Hive, at its branch. */
import { z } from "zod";
import type { Box } from "../../domain/pictures/picture.ts";
import { HivePart } from "./hive-part.ts";

const picture = z.object({
  hash: z.string(),
  name: z.string(),
  width: z.number(),
  height: z.number(),
  strings: z.array(z.string()),
});
export type HivePicture = z.infer<typeof picture>;

const picturePage = z.object({ data: z.array(picture), meta: z.object({ last_page: z.number() }) });

/** A picture as it is sent. */
export interface SentPicture {
  readonly name: string;
  readonly content: Buffer;
  readonly strings: readonly string[];
  readonly boxes: readonly Box[];
}

export class PictureApi extends HivePart {
  /** All pictures, by their names. @throws ClientError, as every method does. */
  async list(): Promise<readonly HivePicture[]> {
    const pictures: HivePicture[] = [];
    const query = () => ({ branch: this.branch });
    for await (const { data } of this.http.pages(this.path, query, picturePage)) pictures.push(...data.data);
    return pictures;
  }

  async add({ content, ...sent }: SentPicture): Promise<HivePicture> {
    const body = { ...sent, content: content.toString("base64") };
    const query = { branch: this.branch };
    return (await this.http.send({ method: "POST", path: this.path, query, body, schema: picture })).data;
  }

  async remove(hash: string): Promise<void> {
    const path = `${this.path}/${encodeURIComponent(hash)}`;
    const schema = z.object({ deleted: z.number() });
    await this.http.send({ method: "DELETE", path, query: { branch: this.branch }, schema });
  }
}
