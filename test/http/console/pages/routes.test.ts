import { expect, it } from "vitest";
import { findPage, routes } from "../../../../src/http/console/routes.ts";

it.each<[method: string, address: string, path: string, params: Readonly<Record<string, string>>]>([
  ["GET", "/", "/", {}],
  ["HEAD", "/hives/web", "/hives/:slug", { slug: "web" }],
  ["GET", "/hives/web/pictures/box", "/hives/:slug/pictures/box", { slug: "web" }],
  ["GET", "/hives/web/pictures/delete", "/hives/:slug/pictures/:hash", { slug: "web", hash: "delete" }],
  ["POST", "/hives/web/pictures/delete", "/hives/:slug/pictures/delete", { slug: "web" }],
  ["GET", "/hives/web/figures.csv", "/hives/:slug/figures.csv", { slug: "web" }],
  [
    "GET",
    "/hives/web/strings/admin%2Fa.php/a%20b",
    "/hives/:slug/strings/:file/:key",
    { slug: "web", file: "admin/a.php", key: "a b" },
  ],
  [
    "GET",
    "/hives/web/compare/main...a/b",
    "/hives/:slug/compare/:range+",
    { slug: "web", range: "main...a/b" },
  ],
])("%s %s is %s", (method, address, path, params) => {
  const found = findPage(method, address);
  expect(found.route.path).toBe(path);
  expect(found.params).toEqual(params);
});

it.each([
  ["GET", "/nowhere", "not-found", []],
  ["GET", "/hives", "not-found", []],
  ["GET", "/hives/web/pictures/box/more", "not-found", []],
  ["GET", "/sign-out", "method-not-allowed", ["POST"]],
  ["POST", "/search", "method-not-allowed", ["GET"]],
  ["PUT", "/inbox", "method-not-allowed", ["GET", "POST"]],
  ["GET", "/hives/web/strings/a%zz", "malformed", []],
])("%s %s is refused as %s", (method, address, code, allow) => {
  const more = allow.length === 0 ? {} : { data: { allow } };
  expect(() => findPage(method, address)).toThrow(expect.objectContaining({ code, ...more }));
});

it("finds each page by its own path", () => {
  for (const route of routes) {
    const method = route.kind.endsWith("form") ? "POST" : "GET";
    const address = route.path.replaceAll(/:(\w+)\+?/g, "$1");
    expect(findPage(method, address).route, `${method} ${address}`).toBe(route);
  }
});
