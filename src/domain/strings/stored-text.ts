/** The text of one key in a stored file, for which only files that may have it are parsed. */
import { parseStoredJson } from "../json.ts";
import { textAt } from "./text-diff.ts";

/**
 * Makes a function that finds the text of a flattened key in the bytes of files; undefined where there is none, also in
 * what is no JSON.
 */
export function textFinder(key: string): (file: Uint8Array) => string | undefined {
  const mayContain = keyFilter(key);
  return (file) => {
    if (!mayContain(file)) return undefined;
    try {
      return textAt(parseStoredJson(file), key);
    } catch {
      return undefined;
    }
  };
}

/**
 * Makes a filter for what may contain a key. It does not parse it, which would cost a hundred times as much.
 */
function keyFilter(key: string): (bytes: Uint8Array) => boolean {
  // The elements of a list have no name, and are counted from its beginning.
  if (/(?:^|\.)\d+(?:\.|$)/.test(key)) return () => true;
  const written = Buffer.from(JSON.stringify(key.slice(key.lastIndexOf(".") + 1)).slice(1));
  return (bytes) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // Other programs may escape characters as \u or \/ without need.
    return buffer.includes(written) || buffer.includes("\\u") || buffer.includes("\\/");
  };
}
