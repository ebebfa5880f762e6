/** The OpenAPI document as a page: a viewer from npm, served from here. */
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { H3Event } from "h3";
import { FastResponse } from "srvx";
import { z } from "zod";
import { failure } from "../../domain/errors.ts";
import type { ResponseCache } from "../responses/response-cache.ts";
import { openRoute, type OpenRoute } from "../pipeline/route.ts";
import type { Shared } from "../pipeline/shared.ts";
import { respondStatic } from "../responses/respond.ts";
import { ownFile } from "../../own-files.ts";

/** The addresses of the page's files, for the router. */
export const referenceFilePath = "/docs/:file";

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Skep: API reference</title>
    <link rel="icon" href="docs/icon.svg">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="stylesheet" href="docs/colours.css">
    <link rel="stylesheet" href="docs/page.css">
    <script src="docs/swagger-ui-bundle.js" defer></script>
    <script src="docs/start.js" defer></script>
  </head>
  <body>
    <header class="top"><a href="./"><img src="docs/icon.svg" alt="" width="24" height="24">Skep</a></header>
    <noscript>This page needs JavaScript. The same as data: <a href="openapi.json">openapi.json</a></noscript>
    <div id="reference"></div>
  </body>
</html>
`;

/** The page loads and calls nothing but this server, and runs no script that is not one of its files. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The viewer's style sheet holds its icons.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const decompress = promisify(brotliDecompress);

const viewer = ownFile("../dist/viewer/");

/** Skep's own files, which lie beside the code in the sources and in the build. */
const own = ownFile("http/routes/reference-files/");
const consoleFiles = ownFile("http/console/");

const script = "text/javascript; charset=utf-8";
const style = "text/css; charset=utf-8";

/** The only files there are: no part of a request's path names one on the disk. */
const files: ReadonlyMap<
  string,
  { readonly type: string; readonly read: (name: string) => Promise<Uint8Array> }
> = new Map([
  ["swagger-ui.css", { type: style, read: readViewer }],
  ["swagger-ui-bundle.js", { type: script, read: readViewer }],
  ["icon.svg", { type: "image/svg+xml", read: (name) => readFile(new URL(`assets/${name}`, consoleFiles)) }],
  ["colours.css", { type: style, read: (name) => readFile(new URL(`styles/${name}`, consoleFiles)) }],
  ["page.css", { type: style, read: (name) => readFile(new URL(name, own)) }],
  ["start.js", { type: script, read: (name) => readFile(new URL(name, own)) }],
]);

/** Reads a file of the viewer, which is compressed: it would be a third of an installed Skep. */
async function readViewer(name: string): Promise<Uint8Array> {
  return decompress(await readFile(new URL(`${name}.br`, viewer)));
}

/** @throws SkepError `not-found` for any other name. */
export function respondReferenceFile(event: H3Event, responses: ResponseCache): Promise<Response> {
  const name = event.context.params?.file ?? "";
  const file = files.get(name);
  if (file === undefined) throw failure("not-found", "There is nothing at this address.");
  const { type, read } = file;
  return respondStatic(event.req, responses, { name: `docs/${name}`, type, make: () => read(name) });
}

async function respondReference(event: H3Event, { responses }: Shared): Promise<Response> {
  // The page names its files from beside itself.
  if (event.url.pathname.endsWith("/")) {
    return new FastResponse(null, { status: 308, headers: [["location", "../docs"]] });
  }
  return respondStatic(event.req, responses, {
    name: "docs",
    type: "text/html; charset=utf-8",
    headers: [["content-security-policy", pagePolicy]],
    make: async () => Buffer.from(page),
  });
}

export const referenceRoutes: readonly OpenRoute[] = [
  openRoute("getReference", "GET", "/docs", {
    handler: respondReference,
    group: "Server",
    summary: "Get this document as a web page",
    hasETag: true,
    type: "text/html",
    response: z.string().meta({ examples: ["<!doctype html>…"] }),
  }),
];
