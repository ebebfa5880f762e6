/** The requests about the pictures of a Hive, at its branch. */
import { z } from "zod";
import type { Box } from "../../domain/pictures/picture.ts";
import { HivePart } from "./hive-part.ts";

/** The declared requests, and a picture as the client reads it: a newer server may know more types of images. */
async function declared() {
  const { picture, pictures } = await import("../../api/pictures.ts");
  return { ...pictures.operations, picture: picture.extend({ type: z.string() }) };
}

export type HivePicture = z.output<Awaited<ReturnType<typeof declared>>["picture"]>;

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
    return this.callAll(listPictures, picture);
  }

  async add({ content, ...sent }: SentPicture): Promise<HivePicture> {
    const { addPicture, picture } = await declared();
    const body = { ...sent, content: content.toString("base64") };
    return (await this.call({ ...addPicture, response: picture }, { body })).data;
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
