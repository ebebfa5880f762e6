/** The requests about the pictures of a Hive, at its branch. */
import type { z } from "zod";
import type { Box } from "../../domain/pictures/picture.ts";
import { once } from "../../on-demand.ts";
import type { Read } from "./as-read.ts";
import { HivePart } from "./hive-part.ts";

const declared = once(async () => {
  const { picture, pictures } = await import("../../api/content/pictures.ts");
  return { ...pictures.operations, picture };
});

export type HivePicture = Read<z.output<Awaited<ReturnType<typeof declared>>["picture"]>>;

export interface SentPicture {
  readonly name: string;
  readonly content: Buffer;
  readonly strings: readonly string[];
  readonly boxes: readonly Box[];
}

export class PictureApi extends HivePart {
  /** All pictures, by their names. @throws ClientError, as every method does. */
  async list(): Promise<readonly HivePicture[]> {
    const { listPictures, picture } = await declared();
    return (await this.callAll(listPictures, picture)).data;
  }

  async add({ content, ...sent }: SentPicture): Promise<HivePicture> {
    const { addPicture } = await declared();
    const body = { ...sent, content: content.toString("base64") };
    return (await this.call(addPicture, { body })).data;
  }

  /** The image of a picture. */
  image(hash: string): Promise<Buffer> {
    const path = `${this.path}/pictures/${encodeURIComponent(hash)}`;
    return this.http.bytes({ path, query: { branch: this.branch } });
  }

  async remove(hash: string): Promise<void> {
    const { deletePicture } = await declared();
    await this.call(deletePicture, { params: { hash } });
  }
}
