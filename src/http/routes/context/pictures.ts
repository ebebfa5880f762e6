/** Pictures that show strings: list, add, read and delete them. */
import { z } from "zod";
import { imageTypes } from "../../../domain/pictures/image-header.ts";
import { pictureLimits, mediaTypeOf } from "../../../domain/pictures/picture.ts";
import { count, jsonObject, named, pageOf, text } from "../../../api/objects.ts";
import { atField, queryParam } from "../../schemas/schemas.ts";
import { addPicture, deletePicture, listPictures, readImage } from "../../../service/context/pictures.ts";
import { withExample } from "../../../api/operation.ts";
import { hiveGroup, type HiveRoute } from "../../pipeline/route.ts";
import { converted, imageHeaders } from "../../responses/respond.ts";
import { pageQuery, toPage, toOffsetLimit } from "../../../api/page.ts";

const picturesQuery = pageQuery.extend({
  file: queryParam("Only pictures that show a string of this file; with `key`."),
  key: queryParam("Only pictures that show the string with this key; with `file`."),
  at: atField,
});

const pixels = z.int("must be a whole number").nonnegative("must be 0 or more");
/** A box of a picture. */
export const pictureBox = named("PictureBox", {
  string: text.meta({ description: "`file:key`." }),
  x: pixels,
  y: pixels,
  width: pixels,
  height: pixels,
});
const patterns = z
  .array(text, "must be a list of patterns")
  .meta({ description: "The strings that it shows: `file:key`, where `*` stands for any characters." });

const pictureResponse = named("Picture", {
  hash: z.string().meta({ description: "The SHA-256 of the image." }),
  name: z.string(),
  type: z.enum(imageTypes),
  width: count.meta({ description: "In pixels." }),
  height: count,
  strings: patterns,
  boxes: z.array(pictureBox).meta({ description: "Where strings stand in it, in pixels." }),
});

const picturesResponse = pageOf("PicturePage", pictureResponse);

/** Base64 takes four characters for three bytes. */
const maxContent = Math.ceil(pictureLimits.bytes / 3) * 4;

const pictureBody = jsonObject({
  name: text.meta({ description: "For people, such as `login.png`." }),
  content: text
    .max(maxContent, `must be at most ${pictureLimits.bytes} bytes in base64`)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/, "must be base64")
    .meta({
      description: `A PNG, WebP or JPEG in base64: at most ${pictureLimits.bytes} bytes, and ${pictureLimits.side} pixels a side.`,
    }),
  strings: patterns,
  boxes: z.array(pictureBox, "must be a list of boxes").nullish(),
}).meta({ id: "NewPicture" });

const pictureDeletedResponse = named("PictureDeletion", { deleted: count });

const path = "/api/hives/:slug/pictures";
const exampleBox = { string: "auth.json:login.title", x: 40, y: 32, width: 200, height: 24 };
const { hiveRead, hiveWrite } = hiveGroup("Source strings", "write", { takesBranch: true });

export const pictureRoutes: readonly HiveRoute[] = [
  hiveRead("listPictures", path, {
    isSlow: ({ at }) => at !== undefined,
    summary: "List the pictures of a Hive",
    description: "By name. Notes name the pictures of their strings by their hashes.",
    query: picturesQuery,
    response: picturesResponse,
    async handler({ storage, branch, query, signal }) {
      const { file, key, at } = query;
      const page = await listPictures(storage, branch, { ...toOffsetLimit(query), file, key, at, signal });
      return converted(page, (pictures) => toPage(pictures, query, (picture) => picture));
    },
  }),
  hiveRead("readPicture", `${path}/:hash`, {
    summary: "Read the image of a picture",
    response: z.string().meta({ examples: ["…"] }),
    type: "image/*",
    async handler({ storage, branch, param }) {
      const { type, ...image } = await readImage(storage, branch, param("hash"));
      return { ...image, type: mediaTypeOf(type), headers: imageHeaders };
    },
  }),
  hiveWrite("addPicture", "POST", path, {
    summary: "Add a picture",
    description:
      "It shows the strings that its patterns name, and goes with the last of them. Of an image that the Hive has, the patterns and boxes are added, and the response is a 200.",
    body: withExample(pictureBody, {
      name: "login.png",
      content: "iVBORw0KGgo=",
      strings: ["auth.json:login.*"],
      boxes: [exampleBox],
    }),
    response: pictureResponse,
    status: 201,
    repeatedStatus: 200,
    async handler({ storage, branch, body, context }) {
      const { content, boxes, ...given } = body;
      const sent = { ...given, content: Buffer.from(content, "base64"), boxes: boxes ?? [] };
      const { result, ...committed } = await addPicture(storage, branch, sent, context);
      const { picture, isNew } = result;
      return { ...committed, result: picture, status: isNew ? undefined : 200 };
    },
  }),
  hiveWrite("deletePicture", "DELETE", `${path}/:hash`, {
    summary: "Delete a picture",
    response: pictureDeletedResponse,
    handler: ({ storage, branch, param, context }) => deletePicture(storage, branch, param("hash"), context),
  }),
];
