/** Finds problems in the pictures of a Hive. Nothing is repaired: they may be all that is left of an image. */
import { createHash } from "node:crypto";
import { isSkepError } from "../../domain/errors.ts";
import type { Finding } from "../../domain/finding.ts";
import { readImageHeader } from "../../domain/pictures/image-header.ts";
import { placedPictures } from "../../domain/pictures/picture-strings.ts";
import { finish } from "../../domain/steps.ts";
import type { Snapshot } from "../content/snapshot.ts";
import { picturesFolder } from "../content/stored-pictures.ts";

/** Finds pictures that cannot be read, are not what they are said to be, or show no string. */
export async function findPictureProblems({
  pictures: stored,
  index,
}: Pick<Snapshot, "pictures" | "index">): Promise<readonly Finding[]> {
  const { pictures, problems } = await stored.readable();
  const found: Finding[] = problems.map(({ path }) => ({ problem: `${path} does not belong to a picture` }));
  const placed = finish(placedPictures(pictures, index.source));
  for (const [hash, picture] of pictures) {
    const at = `${picturesFolder}/${hash}`;
    try {
      const bytes = await stored.image(picture);
      const isWhole = createHash("sha256").update(bytes).digest("hex") === hash;
      if (!isWhole || readImageHeader(bytes)?.type !== picture.type)
        found.push({ problem: `${at} is not the image that its name says` });
    } catch (error) {
      if (!isSkepError(error)) throw error;
      found.push({ problem: error.message });
    }
    if (placed.get(hash) !== picture) found.push({ problem: `${at} names strings that there are not` });
  }
  return found;
}
