/** The requests and responses about pictures. */
import { z } from "zod";
import { imageTypes } from "../../../domain/pictures/image-header.ts";
import { pictureLimits } from "../../../domain/pictures/picture.ts";
import { count, jsonObject, named, pageOf, text } from "../objects.ts";
import { at, once, pageQuery } from "../schemas.ts";

export const picturesQuery = pageQuery.extend({
  file: once.meta({ description: "Only pictures that show a string of this file; with `key`." }),
  key: once.meta({ description: "Only pictures that show the string with this key; with `file`." }),
  at,
});

const pixels = z.int("must be a whole number").nonnegative("must be 0 or more");
const box = named("PictureBox", {
  string: text.meta({ description: "`file:key`." }),
  x: pixels,
  y: pixels,
  width: pixels,
  height: pixels,
});
const patterns = z
  .array(text, "must be a list of patterns")
  .meta({ description: "The strings that it shows: `file:key`, where `*` stands for any characters." });

export const pictureResponse = named("Picture", {
  hash: z.string().meta({ description: "The SHA-256 of the image." }),
  name: z.string(),
  type: z.enum(imageTypes),
  width: count.meta({ description: "In pixels." }),
  height: count,
  strings: patterns,
  boxes: z.array(box).meta({ description: "Where strings stand in it, in pixels." }),
});

export const picturesResponse = pageOf("PicturePage", pictureResponse);

/** Base64 takes four characters for three bytes. */
const maxContent = Math.ceil(pictureLimits.bytes / 3) * 4;

export const pictureBody = jsonObject({
  name: text.meta({ description: "For people, such as `login.png`." }),
  content: text
    .max(maxContent, `must be at most ${pictureLimits.bytes} bytes in base64`)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/, "must be base64")
    .meta({
      description: `A PNG, WebP or JPEG in base64: at most ${pictureLimits.bytes} bytes, and ${pictureLimits.side} pixels a side.`,
    }),
  strings: patterns,
  boxes: z.array(box, "must be a list of boxes").nullish(),
}).meta({ id: "NewPicture" });

export const pictureDeletedResponse = named("PictureDeletion", { deleted: count });
