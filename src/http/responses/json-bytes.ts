/** Joins JSON from encoded parts, which are copied only once, because a response may have megabytes. */

import { pause } from "../../slices.ts";

type JsonPieces = readonly Uint8Array[];

/** Makes an object whose members are JSON in pieces. */
export function joinObject(members: Readonly<Record<string, JsonPieces>>): Promise<Buffer> {
  const named = Object.entries(members).map(([name, value]) =>
    [Buffer.from(`${JSON.stringify(name)}:`), value].flat(),
  );
  return joinPieces(enclose(named));
}

/** Encodes a text in pieces as a JSON string. */
export async function textPieces(text: readonly string[]): Promise<JsonPieces> {
  const quote = Buffer.from('"');
  const pieces: Uint8Array[] = [quote];
  for (const piece of text) {
    await pause();
    pieces.push(Buffer.from(JSON.stringify(piece).slice(1, -1)));
  }
  return [...pieces, quote];
}

/** How many values are encoded at once. */
const valuesPerPiece = 1_024;

/** Encodes a list of values. */
export async function listPieces<T>(
  values: readonly T[],
  toValue: (value: T) => unknown,
): Promise<JsonPieces> {
  const pieces: Uint8Array[] = [Buffer.from("[")];
  for (let at = 0; at < values.length; at += valuesPerPiece) {
    await pause();
    const some = values.slice(at, at + valuesPerPiece).map((value) => JSON.stringify(toValue(value)));
    pieces.push(Buffer.from((at > 0 ? "," : "") + some.join(",")));
  }
  return [...pieces, Buffer.from("]")];
}

/** How many bytes are copied at once. */
const bytesPerStep = 1_048_576;

/** Joins pieces of a body, in steps of about the same size. */
export async function joinPieces(pieces: JsonPieces): Promise<Buffer> {
  await pause();
  const joined = Buffer.allocUnsafe(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  let copied = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.byteLength;
    if (at - copied < bytesPerStep) continue;
    copied = at;
    await pause();
  }
  return joined;
}

/** Merges encoded objects, which must not have white space around them, into one. */
export function joinMembers(objects: readonly Uint8Array[]): JsonPieces {
  const members = objects.map((object) => object.subarray(1, -1));
  return enclose(members.filter(({ byteLength }) => byteLength > 0).map((member) => [member]));
}

function enclose(members: readonly JsonPieces[]): JsonPieces {
  const comma = Buffer.from(",");
  const parts = members.flatMap((member, i) => (i === 0 ? member : [comma, ...member]));
  return [Buffer.from("{"), ...parts, Buffer.from("}")];
}
