/** The formats of an export, by the name a request gives. */
import type { Format } from "./format.ts";
import { json } from "./json.ts";
import { php } from "./php.ts";

export const formats = { json, php } satisfies Record<string, Format>;
export type FormatName = keyof typeof formats;
