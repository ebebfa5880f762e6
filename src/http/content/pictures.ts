/** What the operations of pictures do, and the images of pictures, which are no JSON. */
import { z } from "zod";
import { toOffsetLimit, toPage } from "../../api/page.ts";
import { pictures } from "../../api/content/pictures.ts";
import { mediaTypeOf } from "../../domain/pictures/picture.ts";
import { addPicture, deletePicture, listPictures, readImage } from "../../service/context/pictures.ts";
import { hiveGroup, type HiveRoute } from "../pipeline/route.ts";
import { converted, imageHeaders } from "../responses/respond.ts";
import { implementOnHive, routesOf } from "../operations/implement.ts";

const pictureOperations = implementOnHive(pictures, {
  listPictures: async ({ storage, branch, query, signal }) => {
    const page = await listPictures(storage, branch, { ...query, ...toOffsetLimit(query), signal });
    return converted(page, (found) => toPage(found, query, (picture) => picture));
  },
  addPicture: async ({ storage, branch, body, context }) => {
    const { content, boxes, ...given } = body;
    const sent = { ...given, content: Buffer.from(content, "base64"), boxes: boxes ?? [] };
    const { result, ...committed } = await addPicture(storage, branch, sent, context);
    return { ...committed, result: result.picture, status: result.isNew ? undefined : 200 };
  },
  deletePicture: ({ storage, branch, param, context }) =>
    deletePicture(storage, branch, param("hash"), context),
});

const { path, key, group } = pictures;
const { hiveRead } = hiveGroup(group, "write", { takesBranch: true });

export const pictureRoutes: readonly HiveRoute[] = [
  ...routesOf(pictureOperations),
  hiveRead("readPicture", `${path}/:${key}`, {
    summary: "Read the image of a picture",
    response: z.string().meta({ examples: ["…"] }),
    type: "image/*",
    async handler({ storage, branch, param }) {
      const { type, ...image } = await readImage(storage, branch, param("hash"));
      return { ...image, type: mediaTypeOf(type), headers: imageHeaders };
    },
  }),
];
