/** Pictures of an app: from single files, and from the list that a test of its pages has written. */
import { messageOf } from "../../domain/errors.ts";
import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, relative, resolve } from "node:path";
import { z } from "zod";
import { boxSchema, pictureLimits } from "../../domain/pictures/picture.ts";
import { ClientError, unreadable } from "../api/client-error.ts";
import type { SentPicture } from "../api/picture-api.ts";
import { readGiven } from "./files.ts";
import { leadsOut } from "./walk.ts";

const shots = z.array(
  z.strictObject({
    file: z.string(),
    strings: z.array(z.string()).min(1),
    boxes: z.array(boxSchema).default([]),
  }),
);
/** A list of 500 pictures with all that they may have is smaller. */
const maxListBytes = 67_108_864;

/** Reads one picture. @throws ClientError `error` when it cannot be read, or is too large. */
export async function readPicture(path: string, strings: readonly string[]): Promise<SentPicture> {
  const content = await readGiven(path, pictureLimits.bytes, "error");
  return { name: basename(path), content, strings, boxes: [] };
}

/**
 * Reads the pictures of a list, `[{"file": …, "strings": […], "boxes": […]}]`, whose files are below its folder.
 * @throws ClientError `error` for what cannot be read, `misuse` for another list, or a file elsewhere.
 */
export async function readShots(path: string): Promise<readonly SentPicture[]> {
  const list = parseList(path, await readGiven(path, maxListBytes, "error"));
  const folder = await realpath(dirname(path));
  const pictures: SentPicture[] = [];
  for (const [i, { file, strings, boxes }] of list.entries()) {
    const inside = await realpath(resolve(folder, file)).catch((cause: unknown) => {
      throw unreadable("error", file, cause);
    });
    if (isAbsolute(file) || leadsOut(relative(folder, inside)))
      throw new ClientError("misuse", `${path}: ${i}.file: "${file}" is not below the folder of the list.`);
    pictures.push({ ...(await readPicture(inside, strings)), name: basename(file), boxes });
  }
  return pictures;
}

function parseList(path: string, bytes: Buffer): z.output<typeof shots> {
  try {
    return shots.parse(JSON.parse(bytes.toString()));
  } catch (cause) {
    const [issue] = cause instanceof z.ZodError ? cause.issues : [];
    const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
    const what = issue?.message ?? `is not JSON: ${messageOf(cause)}`;
    throw new ClientError("misuse", `${path}: ${where}${what}`, { cause });
  }
}
