/** Pictures of an app, and the strings that can be seen in each. */
import { z } from "zod";
import type { Issues } from "../errors.ts";
import { isFileName, type Oid } from "../names.ts";
import type { StringAddress } from "../move.ts";
import { imageTypes, type ImageType } from "./image-header.ts";

export interface Picture {
  /** The SHA-256 of the image, in hexadecimal digits. */
  readonly hash: string;
  /** The git blob of the image. */
  readonly blob: Oid;
  /** For people, such as `login.png`. */
  readonly name: string;
  readonly type: ImageType;
  readonly width: number;
  readonly height: number;
  /** Patterns `file:key`, in which `*` stands for any characters. */
  readonly strings: readonly string[];
  readonly boxes: readonly Box[];
}

/** By their hashes. */
export type Pictures = ReadonlyMap<string, Picture>;

export const pictureLimits = {
  /** Pictures of one Hive. */
  count: 500,
  bytes: 300_000,
  /** Pixels of one side. */
  side: 8_192,
  name: 200,
  patterns: 20,
  pattern: 1_000,
  boxes: 200,
} as const;

const hashPattern = /^[0-9a-f]{64}$/;

/** Whether a text could be the hash of a picture. */
export function isPictureHash(text: string): boolean {
  return hashPattern.test(text);
}

/** The media type of an image, for `Content-Type`. */
export function mediaTypeOf(type: ImageType): string {
  return `image/${type}`;
}

/** The address that a text `file:key` names; a file's name has no colon. */
export function toAddress(text: string): StringAddress | undefined {
  const colon = text.indexOf(":");
  const file = text.slice(0, colon);
  return colon > 0 && colon < text.length - 1 && isFileName(file)
    ? { file, key: text.slice(colon + 1) }
    : undefined;
}

/** A string as pictures name it: `file:key`. The reverse of {@link toAddress}. */
export function addressText({ file, key }: { readonly file: string; readonly key: string }): string {
  return `${file}:${key}`;
}

/** Control characters, marks of text direction, and what makes a path. */
const unfit = /[\p{C}\u2028\u2029]/u;

/**
 * Checks what a caller says about a picture.
 * @param issues takes what is wrong, named as the members of a request.
 */
export function checkPicture(
  { name, strings, boxes, width, height }: Omit<Picture, "hash" | "blob" | "type">,
  issues: Issues,
): void {
  if (name === "" || name.length > pictureLimits.name || unfit.test(name) || /[/\\]/.test(name))
    issues.add("name", `must be a name without folders, of 1 to ${pictureLimits.name} characters`);
  if (strings.length === 0 || strings.length > pictureLimits.patterns)
    issues.add("strings", `must be 1 to ${pictureLimits.patterns} patterns`);
  for (const [i, pattern] of strings.entries()) {
    if (!isPattern(pattern)) issues.add(`strings.${i}`, "must be a pattern such as auth.json:login.*");
  }
  if (boxes.length > pictureLimits.boxes) issues.add("boxes", `must be at most ${pictureLimits.boxes} boxes`);
  for (const [i, box] of boxes.entries()) {
    if (toAddress(box.string) === undefined || unfit.test(box.string))
      issues.add(`boxes.${i}.string`, "must be a string such as auth.json:login.title");
    if (box.x + box.width > width || box.y + box.height > height)
      issues.add(`boxes.${i}`, `is not inside the picture, which has ${width} × ${height} pixels`);
  }
}

function isPattern(text: string): boolean {
  const colon = text.indexOf(":");
  return colon > 0 && colon < text.length - 1 && text.length <= pictureLimits.pattern && !unfit.test(text);
}

const whole = z.number().int().nonnegative();
/** Where a string, `file:key`, stands in a picture, in pixels. */
export const boxSchema = z.strictObject({
  string: z.string(),
  x: whole,
  y: whole,
  width: whole,
  height: whole,
});
export type Box = Readonly<z.output<typeof boxSchema>>;
const storedSchema = z.strictObject({
  name: z.string(),
  type: z.enum(imageTypes),
  width: whole,
  height: whole,
  strings: z.array(z.string()),
  boxes: z.array(boxSchema),
});

/** Reads what is stored about a picture. @throws Error for what is not that. */
export function parsePicture(value: unknown, { hash, blob }: Pick<Picture, "hash" | "blob">): Picture {
  return { hash, blob, ...storedSchema.parse(value) };
}

/** The file of a picture as JSON: equal pictures make the same text. */
export function formatPicture({ name, type, width, height, strings, boxes }: Picture): string {
  return `${JSON.stringify({ name, type, width, height, strings, boxes }, null, 2)}\n`;
}
