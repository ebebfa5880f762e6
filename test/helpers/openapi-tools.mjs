/**
 * What other people's tools make of an OpenAPI document: `node openapi-tools.mjs <document> <types>` writes the types
 * that openapi-typescript generates, and prints what redocly's strict rules find as a list in JSON.
 *
 * Plain JavaScript in a process of its own: openapi-typescript is written for the compiler's API of TypeScript 5, which
 * is installed beside the compiler of this project under another name.
 */
import { readFile, writeFile } from "node:fs/promises";
import { register } from "node:module";

const hooks = `export const resolve = (name, context, next) =>
  next(name === "typescript" ? "typescript-5" : name, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

const { default: generate, astToString } = await import("openapi-typescript");
const { createConfig, lintFromString } = await import("@redocly/openapi-core");

const [, , document, types] = process.argv;
const source = await readFile(document, "utf8");
await writeFile(types, astToString(await generate(source)));
const config = await createConfig({ extends: ["recommended-strict"] });
const problems = await lintFromString({ source, config });
console.log(
  JSON.stringify(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`),
  ),
);
