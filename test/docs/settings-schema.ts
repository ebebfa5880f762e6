/**
 * `docs/skep.schema.json`, the JSON Schema of `skep.yaml` for editors. `npm run docs` writes it; a test holds it up to
 * date.
 */
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { settingsJsonSchema } from "../../src/client/tree/schema.ts";

/** Where the schema is, from the root of the project. */
export const settingsSchemaPath = "docs/skep.schema.json";

/** The whole file. */
export function settingsSchema(): string {
  return `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(new URL(`../../${settingsSchemaPath}`, import.meta.url), settingsSchema());
}
