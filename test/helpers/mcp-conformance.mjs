/**
 * The published conformance suite of the Model Context Protocol: `node mcp-conformance.mjs server --url …`.
 *
 * It imports `globSync`, which Node has since 22, for its own report on SDKs alone; for Node 20 the name is added.
 */
import { register } from "node:module";

const fs = `export * from "node:fs"; export const globSync = undefined;`;
const hooks = `export const resolve = (name, context, next) =>
  name === "fs" ? { url: ${JSON.stringify(address(fs))}, shortCircuit: true } : next(name, context);`;
register(address(hooks));

await import("@modelcontextprotocol/conformance/dist/index.js");

function address(module) {
  return `data:text/javascript,${encodeURIComponent(module)}`;
}
