/** The export formats by their names in requests. */
import type { Format } from "./format.ts";
import { json, nestedJson } from "./json.ts";
import { php } from "./php.ts";

export const formats = { json, php } satisfies Record<string, Format>;
export type FormatName = keyof typeof formats;
/** Whether JSON files are flat or nested; PHP is always nested. */
export const shapes = ["flat", "nested"] as const;
export type Shape = (typeof shapes)[number];

/** The format of a name, in a shape if it has several. */
export function formatOf(name: FormatName, shape: Shape = "flat"): Format {
  return name === "json" && shape === "nested" ? nestedJson : formats[name];
}
