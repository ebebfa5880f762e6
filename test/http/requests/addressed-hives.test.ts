/** Which Hives the answer of a request depends on. */
import { describe, expect, it } from "vitest";
import { routes } from "../../../src/http/app.ts";
import { routes as pageRoutes } from "../../../src/http/console/routes.ts";
import { addressedHives } from "../../../src/http/requests/addressed-hives.ts";

const of = (url: string) => addressedHives({ url, headers: { authorization: "Bearer x" } });

describe("a route of the API", () => {
  /** Those that name no Hive in their path; a new route has to be put here. */
  const withoutHive: Readonly<Record<string, unknown>> = {
    "/": "all",
    "/api/hives": "all",
    "/api/events": "all",
    "/api/search": "all",
    "/api/team": "all",
    "/api/trash": "all",
    "/api/trash/:entry/restore": "all",
    "/api/locales": [],
    "/api/engines": [],
    "/api/engines/:engine": [],
    "/api/engines/:engine/try": [],
    "/api/webhooks": [],
    "/api/webhooks/:webhook": [],
    "/api/webhooks/:webhook/test": [],
    "/api/webhooks/:webhook/secret": [],
    "/api/webhooks/:webhook/resend": [],
    "/api/mirrors": "all",
    "/api/mirrors/:mirror": "all",
    "/api/mirrors/:mirror/push": "all",
    "/api/tokens": [],
    "/api/tokens/:id": [],
    "/api/people": [],
    "/api/people/:id": [],
    "/api/people/:id/invite": [],
    "/api/people/:id/mail": [],
    "/api/me": [],
    "/api/me/inbox": "all",
    "/api/me/inbox/seen": [],
    "/api/me/tokens": [],
    "/api/me/tokens/:id": [],
    "/api/me/sessions": [],
    "/api/me/sessions/:id": [],
    "/api/device": [],
    "/api/device/token": [],
    "/api/audit": [],
    "/p/:publication/:channel/:file": { publication: "publication" },
    "/p/:publication/:channel/": { publication: "publication" },
    "/docs": undefined,
    "/healthz": undefined,
    "/readyz": undefined,
    "/openapi.json": undefined,
  };

  it.each([...new Set(routes.map(({ path }) => path))])("depends on what it names: %s", (path) => {
    const hive = path.includes("/:slug") ? ["web"] : withoutHive[path];
    expect(path.includes("/:slug") || path in withoutHive).toBe(true);
    expect(of(path.replace("/:slug", "/web").replaceAll(/:(\w+)/g, "$1"))).toEqual(hive);
  });
});

describe("a page", () => {
  const ofAll = new Set([
    "/",
    "/inbox",
    "/search",
    "/team",
    "/team/mirrors",
    "/team/mirrors/:mirror",
    "/team/deleted",
    "/new-hive",
  ]);

  it.each([...new Set(pageRoutes.map(({ path }) => path))])("depends on what it names: %s", (path) => {
    const hive = path.startsWith("/hives/:slug") ? ["web"] : ofAll.has(path) ? "all" : [];
    expect(of(path.replace("/:slug", "/web").replaceAll(/:(\w+)\+?/g, "$1"))).toEqual(hive);
  });
});

it.each([
  ["/hives/web", ["web"]],
  ["/hives/web/strings?page=2", ["web"]],
  ["/hives/web.git/info/refs?service=git-upload-pack", ["web"]],
  ["/api/hives/web?x=/../../api/hives/app", ["web"]],
  ["//api//hives///web", ["web"]],
  ["/api/hives/%77eb", ["web"]],
  ["/api/x/../hives/web", ["web"]],
  ["/api/x/%2e%2e/hives/web", ["web"]],
  ["http://skep.example.org/api/hives/web/strings", ["web"]],
  ["/api/hives/WEB", []],
  ["/api/hives/%", []],
  ["/oauth/token", []],
  ["/oauth/register", []],
  ["/.well-known/oauth-authorization-server", undefined],
  ["/team", "all"],
  ["/team/mirrors", "all"],
  ["/team/people", []],
  ["/new-hive", "all"],
  ["/account", []],
  ["/mcp", []],
  ["/sign-in/oidc/callback?code=1", []],
  ["/sign-out", []],
  ["/wp-login.php", undefined],
  ["*", undefined],
  ["/assets/console.css", undefined],
  ["/docs/scalar.js", undefined],
])("an address names its Hive, however it is written: %s", (url, hives) => {
  expect(of(url)).toEqual(hives);
});

it("makes no server fetch all Hives for somebody without a token or session", () => {
  expect(addressedHives({ url: "/", headers: {} })).toEqual([]);
  expect(addressedHives({ url: "/api/hives", headers: {} })).toEqual([]);
  expect(addressedHives({ url: "/", headers: { cookie: "skep=1" } })).toBe("all");
});
