/** JSON: a flat object of key to text, or nested as the source is. */
import { formatGroup, isEmptyGroup, type Node, type Texts } from "../../strings/string-file.ts";
import type { Format } from "./format.ts";

/** How long a piece is at least, except the last one. */
const pieceLength = 65_536;

/**
 * Writes texts by key as one flat object, as `JSON.stringify` does with an indentation of two spaces: integer keys first.
 * @returns its text in pieces, each made when it is asked for.
 */
export function flatPieces(texts: Texts): Generator<string> {
  return objectPieces(inObjectOrder(texts));
}

/** Writes an object, as {@link flatPieces}, from its members in their order. */
export function* objectPieces(members: Iterable<readonly [name: string, node: Node]>): Generator<string> {
  // Joined, because `+=` leaves a tree of strings, which V8 copies again and again while the piece waits to be encoded.
  let parts = ["{"];
  let length = 0;
  let before = "\n";
  for (const [name, node] of members) {
    const part =
      typeof node === "string"
        ? `${before}  ${JSON.stringify(name)}: ${JSON.stringify(node)}`
        : before + JSON.stringify({ [name]: node }, null, 2).slice("{\n".length, -"\n}".length);
    parts.push(part);
    length += part.length;
    before = ",\n";
    if (length < pieceLength) continue;
    yield parts.join("");
    parts = [];
    length = 0;
  }
  yield `${parts.join("")}${before === "\n" ? "" : "\n"}}\n`;
}

/** Texts by key in the order that JavaScript has in an object. */
function inObjectOrder(texts: Texts): Texts {
  const indices: number[] = [];
  texts.forEach((_, key) => {
    if (isIndex(key)) indices.push(Number(key));
  });
  if (indices.length === 0) return texts;
  const first = indices.toSorted((a, b) => a - b).map(String);
  return new Map([...first.map((key) => [key, texts.get(key) ?? ""] as const), ...texts]);
}

/** Whether JavaScript puts a key before all others in an object. */
function isIndex(key: string): boolean {
  // For most keys the first character decides.
  return key.charCodeAt(0) <= 0x39 && /^(?:0|[1-9]\d{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1;
}

export const json: Format = {
  kind: "flat",
  extension: ".json",
  render: flatPieces,
};

export const nestedJson: Format = {
  extension: json.extension,
  kind: "nested",
  render: (group) => formatGroup(isEmptyGroup(group) ? {} : group),
};
