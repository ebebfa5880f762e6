/** The formats of an export, by the name a request gives. */
import type { Format } from "./format.ts";
import { json, nestedJson } from "./json.ts";
import { php } from "./php.ts";

export const formats = { json, php } satisfies Record<string, Format>;
export type FormatName = keyof typeof formats;
/** How the keys of a JSON file stand in it; PHP is always nested. */
export type Shape = "flat" | "nested";

/** What writes a file in a format and, if it is JSON, a shape. */
export function formatOf(name: FormatName, shape: Shape = "flat"): Format {
  return name === "json" && shape === "nested" ? nestedJson : formats[name];
}
