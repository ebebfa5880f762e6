/** Pictures that show strings: list, add, read and delete them. */
import { z } from "zod";
import { mediaTypeOf, type Picture } from "../../../domain/pictures/picture.ts";
import { addPicture, deletePicture, listPictures, readImage } from "../../../service/context/pictures.ts";
import { withExample } from "../../openapi/route-docs.ts";
import { hiveRead, hiveWrite, type HiveRoute } from "../../pipeline/route.ts";
import { converted, imageHeaders } from "../../responses/respond.ts";
import { metaExample, toMeta, toOffsetLimit } from "../../schemas/page.ts";
import {
  pictureBody,
  pictureDeletedResponse,
  pictureResponse,
  picturesQuery,
  picturesResponse,
} from "../../schemas/context/picture-schemas.ts";

const path = "/api/hives/:slug/pictures";
const box = { string: "auth.json:login.title", x: 40, y: 32, width: 200, height: 24 };
const example: z.input<typeof pictureResponse> = {
  hash: "3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea",
  name: "login.png",
  type: "png",
  width: 1280,
  height: 800,
  strings: ["auth.json:login.*"],
  boxes: [box],
};

function toPicture({ hash, name, type, width, height, strings, boxes }: Picture) {
  return { hash, name, type, width, height, strings: [...strings], boxes: [...boxes] };
}

export const pictureRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "listPictures",
    path,
    takesBranch: true,
    isSlow: ({ at }) => at !== undefined,
    group: "Source strings",
    summary: "List the pictures of a Hive",
    description: "By name. Notes name the pictures of their strings by their hashes.",
    query: picturesQuery,
    response: withExample(picturesResponse, { data: [example], meta: metaExample }),
    async handler({ storage, branch, query, signal }) {
      const { file, key, at } = query;
      const page = await listPictures(storage, branch, { ...toOffsetLimit(query), file, key, at, signal });
      return converted(page, ({ pictures, total }) => ({
        data: pictures.map(toPicture),
        meta: toMeta(query, total),
      }));
    },
  }),
  hiveRead({
    id: "readPicture",
    path: `${path}/:hash`,
    takesBranch: true,
    group: "Source strings",
    summary: "Read the image of a picture",
    response: withExample(z.string(), "…"),
    type: "image/*",
    errors: ["not-found"],
    async handler({ storage, branch, param }) {
      const { type, ...image } = await readImage(storage, branch, param("hash"));
      return { ...image, type: mediaTypeOf(type), headers: imageHeaders };
    },
  }),
  hiveWrite({
    id: "addPicture",
    method: "POST",
    path,
    takesBranch: true,
    ability: "write",
    group: "Source strings",
    summary: "Add a picture",
    description:
      "It shows the strings that its patterns name, and goes with the last of them. Of an image that the Hive has, the patterns and boxes are added, and the response is a 200.",
    body: withExample(pictureBody, {
      name: "login.png",
      content: "iVBORw0KGgo=",
      strings: ["auth.json:login.*"],
      boxes: [box],
    }),
    response: withExample(pictureResponse, example),
    status: 201,
    repeatedStatus: 200,
    async handler({ storage, branch, body, context }) {
      const { content, boxes, ...given } = body;
      const sent = { ...given, content: Buffer.from(content, "base64"), boxes: boxes ?? [] };
      const { result, ...committed } = await addPicture(storage, branch, sent, context);
      const { picture, isNew } = result;
      return { ...committed, result: toPicture(picture), status: isNew ? undefined : 200 };
    },
  }),
  hiveWrite({
    id: "deletePicture",
    method: "DELETE",
    path: `${path}/:hash`,
    takesBranch: true,
    ability: "write",
    group: "Source strings",
    summary: "Delete a picture",
    response: withExample(pictureDeletedResponse, { deleted: 1 }),
    errors: ["not-found"],
    handler: ({ storage, branch, param, context }) => deletePicture(storage, branch, param("hash"), context),
  }),
];
