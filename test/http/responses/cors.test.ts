/** Pages of other origins: browsers show them answers only where a setting allows it. */
import { beforeEach, describe, expect, it } from "vitest";
import type { AppOptions } from "../../../src/http/pipeline/shared.ts";
import { harness, makeHive, makeToken, memoryStorage, type Call } from "../../helpers/storage.ts";

const app = "https://app.example.org";
const other = "https://other.example.org";
const list = "/api/hives/web/strings";

let isKnown: boolean;

async function open(corsOrigin: AppOptions["corsOrigin"]): Promise<Call> {
  const storage = memoryStorage();
  await makeHive(storage, "web");
  const observer = {
    responded: (_trace: unknown, _status: number, ms: number | undefined) =>
      void (isKnown = ms === undefined),
  };
  return harness(storage, await makeToken(storage), { corsOrigin, observers: [observer] }).call;
}

/** The headers of an answer that are about origins. */
function aboutOrigins(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => name.startsWith("access-control-") || name === "vary"),
  );
}

const preflight = {
  "access-control-request-method": "PUT",
  "access-control-request-headers": "authorization",
};
const shown = expect.stringMatching(/^(?=.*\bx-skep-commit\b)(?=.*\betag\b)(?=.*\bx-request-id\b)/);

describe("with a list of origins", () => {
  let call: Call;
  beforeEach(async () => {
    call = await open(new Set([app, "http://localhost:5173"]));
  });

  it.each([app, "http://localhost:5173"])(
    "with a list of origins, a response is shown to %s, the first time and again",
    async (origin) => {
      const headers = { origin, "x-request-id": "same" };
      const first = await call("GET", list, { headers });
      expect(aboutOrigins(first.headers)).toEqual({
        "access-control-allow-origin": origin,
        "access-control-expose-headers": shown,
        vary: "Accept-Encoding, Origin",
      });
      const again = await call("GET", list, { headers });
      expect(isKnown).toBe(true);
      for (const { headers: sent } of [first, again]) sent.delete("date");
      expect([...again.headers]).toEqual([...first.headers]);
      const tag = { "if-none-match": first.headers.get("etag") ?? "" };
      const unchanged = await call("GET", list, { headers: { ...headers, ...tag } });
      expect(unchanged.status).toBe(304);
      expect(aboutOrigins(unchanged.headers)).toEqual(aboutOrigins(first.headers));
    },
  );

  it("with a list of origins, a cached response to one origin is not shown to another, nor to none", async () => {
    await call("GET", list, { headers: { origin: app } });
    const askers: readonly Record<string, string>[] = [
      { origin: other },
      { origin: "null" },
      {},
      { origin: "__proto__" },
    ];
    for (const headers of askers) {
      const { headers: answered } = await call("GET", list, { headers });
      expect(isKnown).toBe(true);
      expect(aboutOrigins(answered)).toEqual({ vary: "Accept-Encoding, Origin" });
    }
  });

  it("with a list of origins, errors and changes are shown too", async () => {
    const headers = { origin: app };
    const wrong = await call("GET", list, { headers, token: "x" });
    expect([wrong.status, wrong.headers.get("access-control-allow-origin")]).toEqual([401, app]);
    const nowhere = await call("GET", "/nowhere", { headers });
    expect([nowhere.status, nowhere.headers.get("access-control-allow-origin")]).toEqual([404, app]);
    const done = await call("POST", list, { headers, body: { files: { "a.json": { a: "A" } } } });
    expect(aboutOrigins(done.headers)).toMatchObject({
      "access-control-allow-origin": app,
      "access-control-expose-headers": shown,
      vary: "Origin",
    });
  });

  it("with a list of origins, a preflight request is answered without a token", async () => {
    const reply = await call("OPTIONS", list, { headers: { origin: app, ...preflight }, token: null });
    expect([reply.status, reply.text]).toEqual([204, ""]);
    expect(aboutOrigins(reply.headers)).toMatchObject({
      "access-control-allow-origin": app,
      "access-control-allow-methods": expect.stringContaining("PUT"),
      "access-control-allow-headers": expect.stringMatching(
        /authorization.*content-type.*idempotency-key.*mcp-protocol-version/,
      ),
      vary: "Origin",
    });
    expect(reply.headers.get("x-request-id")).not.toBeNull();
  });

  it("with a list of origins, other origins get no headers, and other OPTIONS requests are no preflight", async () => {
    const refused = await call("OPTIONS", list, { headers: { origin: other, ...preflight }, token: null });
    expect([refused.status, aboutOrigins(refused.headers)]).toEqual([405, { vary: "Origin" }]);
    expect((await call("OPTIONS", list, { headers: { origin: app } })).status).toBe(405);
    expect((await call("OPTIONS", list, { headers: preflight })).status).toBe(405);
  });
});

it("with * all origins get the same response", async () => {
  const call = await open("*");
  const askers: readonly Record<string, string>[] = [{ origin: app }, { origin: other }, {}];
  for (const headers of askers) {
    const { headers: answered } = await call("GET", list, { headers });
    expect(aboutOrigins(answered)).toEqual({
      "access-control-allow-origin": "*",
      "access-control-expose-headers": shown,
      vary: "Accept-Encoding",
    });
  }
  const reply = await call("OPTIONS", list, { headers: { origin: other, ...preflight }, token: null });
  expect([reply.status, reply.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
});

it("without the setting no response has CORS headers", async () => {
  const call = await open(undefined);
  for (let round = 0; round < 2; round++) {
    const { headers } = await call("GET", list, { headers: { origin: app } });
    expect(aboutOrigins(headers)).toEqual({ vary: "Accept-Encoding" });
  }
  const headers = { origin: app, ...preflight };
  expect((await call("OPTIONS", list, { headers, token: null })).status).toBe(405);
});
