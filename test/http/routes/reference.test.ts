/** The reference's page and its files, as they are served; what a browser makes of them is in test/e2e. */
import { brotliDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { appOn, memoryStorage } from "../../helpers/storage.ts";

function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> {
  return Promise.resolve(app.fetch(new Request(`http://localhost${path}`, { method, headers })));
}

const { app } = appOn(memoryStorage(), { cacheBytes: 1e7 });

const page = await (await get("/docs")).text();
const named = Array.from(page.matchAll(/(?:href|src)="([^"]+)"/g), ([, name = ""]) => `/${name}`);

describe("the page of the API reference", () => {
  it("is open to all, and loads nothing from elsewhere", async () => {
    const { status, headers } = await get("/docs");
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(page).not.toMatch(/https?:|<script>|style=/);
  });

  it("names only files that are there", async () => {
    expect(named.length).toBeGreaterThan(3);
    for (const path of named) expect((await get(path)).status, path).toBe(200);
  });

  it("has one address", async () => {
    const { status, headers } = await get("/docs/");
    expect([status, headers.get("location")]).toEqual([308, "../docs"]);
  });
});

describe("the files of the API reference", () => {
  it.each([
    ["/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8"],
    ["/docs/swagger-ui.css", "text/css; charset=utf-8"],
    ["/docs/colours.css", "text/css; charset=utf-8"],
    ["/docs/start.js", "text/javascript; charset=utf-8"],
    ["/docs/icon.svg", "image/svg+xml"],
  ])("the file %s of the API reference has its type, and is cached and compressed", async (path, type) => {
    const plain = await get(path);
    expect(plain.headers.get("content-type")).toBe(type);
    expect(plain.headers.get("x-content-type-options")).toBe("nosniff");
    const body = Buffer.from(await plain.arrayBuffer());
    const etag = plain.headers.get("etag") ?? "";
    expect((await get(path, { "if-none-match": etag })).status).toBe(304);
    const packed = await get(path, { "accept-encoding": "br" });
    expect(packed.headers.get("etag")).toBe(etag);
    const bytes = Buffer.from(await packed.arrayBuffer());
    const isPacked = packed.headers.get("content-encoding") === "br";
    expect(isPacked).toBe(body.length > 1_000);
    expect((isPacked ? brotliDecompressSync(bytes) : bytes).equals(body)).toBe(true);
  });

  it.each([
    "/docs/package.json",
    "/docs/index.html",
    "/docs/..%2fpackage.json",
    "/docs/%2e%2e%2f%2e%2e%2fpackage.json",
    "/docs/..%5cpackage.json",
    "/docs/%00",
    "/docs/__proto__",
    "/docs/constructor",
    "/docs/swagger-ui.css%00",
    "/docs/swagger-ui.css/x",
    "/docs/swagger-ui-bundle.js.map",
  ])("do not include %s", async (path) => {
    const { status, headers } = await get(path);
    expect([status, headers.get("content-type")]).toEqual([404, "application/json"]);
  });

  it("are read-only", async () => {
    const { status, headers } = await get("/docs/start.js", {}, "POST");
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});
