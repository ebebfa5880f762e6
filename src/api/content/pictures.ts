/** Pictures of a Hive, which show where its strings stand in the app. */
import { z } from "zod";
import { imageTypes } from "../../domain/pictures/image-header.ts";
import { pictureLimits } from "../../domain/pictures/picture.ts";
import { atField, count, jsonObject, named, queryParam, text } from "../objects.ts";
import { operations } from "../operation.ts";

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

/** A picture in an answer. */
export const picture = named("Picture", {
  hash: z.string().meta({ description: "The SHA-256 of the image." }),
  name: z.string(),
  type: z.enum(imageTypes),
  width: count.meta({ description: "In pixels." }),
  height: count,
  strings: patterns,
  boxes: z.array(pictureBox).meta({ description: "Where strings stand in it, in pixels." }),
});

/** Base64 takes four characters for three bytes. */
const maxContent = Math.ceil(pictureLimits.bytes / 3) * 4;

const newPicture = jsonObject({
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

export const pictures = operations(
  {
    noun: "picture",
    about: "Create, list and delete pictures that show texts in the app.",
    path: "/api/hives/:slug/pictures",
    key: "hash",
    names: "hash",
    entity: picture,
    label: "name",
    group: "Source strings",
    ability: "read",
    hasCommit: true,
    columns: ["hash", "name", "width", "height", "strings"],
  },
  (op) => ({
    listPictures: op.list({
      summary: "List the pictures of a Hive",
      description: "By name. Notes name the pictures of their strings by their hashes.",
      query: {
        file: queryParam("Only pictures that show a string of this file; with `key`."),
        key: queryParam("Only pictures that show the string with this key; with `file`."),
        at: atField,
      },
      takesBranch: true,
    }),
    addPicture: op.create({
      summary: "Add a picture",
      description:
        "It shows the strings that its patterns name, and goes with the last of them. Of an image that the Hive has, the patterns and boxes are added, and the response is a 200.",
      body: newPicture,
      example: {
        name: "login.png",
        content: "iVBORw0KGgo=",
        strings: ["auth.json:login.*"],
        boxes: [{ string: "auth.json:login.title", x: 40, y: 32, width: 200, height: 24 }],
      },
      repeatedStatus: 200,
      takesBranch: true,
    }),
    deletePicture: op.delete({
      summary: "Delete a picture",
      response: named("PictureDeletion", { deleted: count }),
      takesBranch: true,
    }),
  }),
);
