/** Requests of the client: what is repeated, and which errors its failures are. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { HttpClient } from "../../../src/client/api/http.ts";
import { insecureServerWarning, readToken } from "../../../src/client/api/token.ts";
import type { HttpRequest, Transport } from "../../../src/client/api/transport.ts";
import { realFolder } from "../../helpers/storage.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const schema = z.object({ ok: z.boolean() });

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

function respond({ status = 200, headers = {}, body = { ok: true } }: Answer): Response {
  return new Response(typeof body === "string" ? body : JSON.stringify(body), {
    status,
    headers: { "x-skep-commit": "c", ...headers },
  });
}

/** A client whose server gives these answers, one a request. */
function clientOf(...answers: readonly (Answer | Error)[]) {
  const requests: (HttpRequest & { readonly url: string })[] = [];
  const waits: number[] = [];
  const transport: Transport = async (url, request) => {
    const answer = answers[requests.length];
    requests.push({ url, ...request });
    if (answer instanceof Error) throw answer;
    return respond(answer ?? {});
  };
  const http = new HttpClient({
    server: "https://skep.example.org/base",
    token: "skep_secret",
    transport,
    sleep: async (ms) => void waits.push(ms),
  });
  const get = () => http.send({ method: "GET", path: "/api/x", query: { a: "1", b: undefined }, schema });
  return { http, get, requests, waits };
}

function unreachable(code: string): Error {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
}

describe("a request", () => {
  it.each(["..", ".", "%2e.", "..?x"])(
    "never has a name that makes its address another one: %s",
    async (name) => {
      const { http, requests } = clientOf({});
      const sent = http.send({ method: "DELETE", path: `/api/hives/web/work/${name}`, schema });
      await expect(sent).rejects.toMatchObject({ kind: "misuse" });
      expect(requests).toEqual([]);
    },
  );

  it("stops reading an answer that is larger than any of Skep, and does not ask for it again", async () => {
    const part = new Uint8Array(16 * 1024 * 1024);
    let [asked, read] = [0, 0];
    const transport: Transport = async () => {
      asked++;
      const body = (async function* () {
        for (;;) yield ((read++, part));
      })();
      return { status: 200, headers: new Headers(), body };
    };
    const http = new HttpClient({ server: "https://skep.example.org", token: "skep_secret", transport });
    await expect(http.send({ method: "GET", path: "/api/x", schema })).rejects.toMatchObject({
      kind: "error",
      message: expect.stringContaining("answered with more than 268435456 bytes"),
    });
    const once = { method: "POST", path: "/api/x", schema, isRepeatable: false } as const;
    await expect(http.send(once)).rejects.toMatchObject({ code: "maybe_done" });
    read -= 17;
    asked--;
    expect({ asked, read }).toEqual({ asked: 1, read: 17 });
  });

  it("takes no commit that is none", async () => {
    const { get } = clientOf({ headers: { "x-skep-commit": "\u009b31m" } });
    await expect(get()).rejects.toThrow("not as Skep does");
  });

  it("carries the token and follows no redirect", async () => {
    const { get, requests } = clientOf({});
    expect(await get()).toEqual({ data: { ok: true }, commit: "c" });
    expect(requests[0]).toMatchObject({
      url: "https://skep.example.org/base/api/x?a=1",
      redirect: "manual",
      headers: { authorization: "Bearer skep_secret" },
    });
  });

  it("is repeated while the server is busy, not before it wants to be asked", async () => {
    const busy = { status: 503, headers: { "retry-after": "7" }, body: { message: "Busy." } };
    const { get, requests, waits } = clientOf(busy, unreachable("ECONNRESET"), {});
    expect((await get()).data.ok).toBe(true);
    expect(requests).toHaveLength(3);
    expect(waits[0]).toBe(7_000);
    expect(waits[1]).toBeGreaterThanOrEqual(1_000);
  });

  it("is the same request when it is repeated", async () => {
    const { http, requests } = clientOf(unreachable("EPIPE"), {});
    const headers = { "idempotency-key": "k" };
    await http.send({ method: "PUT", path: "/api/x", headers, body: { files: {} }, schema });
    expect(requests[1]).toMatchObject({ headers: requests[0]?.headers, body: requests[0]?.body });
  });

  it("is repeated when its first attempt is still under way, but not on another conflict", async () => {
    const underWay = { status: 409, body: { message: "Under way.", code: "request_under_way" } };
    const conflict = { status: 409, body: { message: "Changed.", code: "base_conflict" } };
    const again = clientOf(unreachable("ECONNRESET"), underWay, {});
    expect((await again.get()).data.ok).toBe(true);
    const once = clientOf(conflict);
    await expect(once.get()).rejects.toMatchObject({ kind: "conflict", message: "Changed." });
    expect(once.requests).toHaveLength(1);
  });

  const reset = unreachable("ECONNRESET");
  const timeout = new DOMException("aborted", "TimeoutError");
  it.each<[string, Answer | Error, boolean]>([
    ["the connection was cut", reset, false],
    ["there was no answer in time", timeout, false],
    ["a proxy got no answer", { status: 502 }, false],
    ["a proxy waited too long", { status: 504, body: "<html>" }, false],
    [
      "the database did not answer",
      { status: 503, body: { message: "M.", code: "record_unavailable" } },
      false,
    ],
    ["there was a fault", { status: 500, body: { message: "M.", code: "internal_error" } }, false],
    ["there was no connection", unreachable("ECONNREFUSED"), true],
    ["the name is not known yet", unreachable("EAI_AGAIN"), true],
    ["the server is busy", { status: 503, body: { message: "M.", code: "busy" } }, true],
    ["there were too many", { status: 429, body: { message: "M.", code: "too_many_changes" } }, true],
  ])("that must not be done twice is repeated only if it was not done: %s", async (_, first, isRepeated) => {
    const { http, requests } = clientOf(first, {});
    const sent = http.send({ method: "POST", path: "/api/tokens", body: {}, schema, isRepeatable: false });
    if (isRepeated) expect((await sent).data.ok).toBe(true);
    else await expect(sent).rejects.toMatchObject({ kind: "unavailable", code: "maybe_done" });
    expect(requests).toHaveLength(isRepeated ? 2 : 1);
  });

  it("is given up after some attempts", async () => {
    const { get, requests } = clientOf(...Array.from({ length: 9 }, () => unreachable("ECONNREFUSED")));
    await expect(get()).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("https://skep.example.org/base could not be reached"),
    });
    expect(requests).toHaveLength(5);
  });

  it("waits a bounded time whatever the server wants", async () => {
    const { get, waits } = clientOf({ status: 503, headers: { "retry-after": "99999" } }, {});
    await get();
    expect(waits).toEqual([60_000]);
  });

  it.each<[number, string]>([
    [400, "error"],
    [401, "denied"],
    [403, "denied"],
    [404, "denied"],
    [409, "conflict"],
    [412, "conflict"],
    [413, "error"],
    [422, "error"],
    [500, "error"],
    [507, "error"],
  ])("is not repeated after a %i, which is of the kind %s", async (status, kind) => {
    const { get, requests } = clientOf({ status, body: { message: "Because.", code: "some_code" } });
    await expect(get()).rejects.toMatchObject({
      kind,
      code: "some_code",
      message: expect.stringMatching(/^Because\./),
    });
    expect(requests).toHaveLength(1);
  });

  it.each(["SELF_SIGNED_CERT_IN_CHAIN", "ERR_TLS_CERT_ALTNAME_INVALID", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"])(
    "is not repeated after %s, which says how to trust an authority",
    async (code) => {
      const { get, requests } = clientOf(unreachable(code));
      await expect(get()).rejects.toThrow("NODE_EXTRA_CA_CERTS");
      expect(requests).toHaveLength(1);
    },
  );

  it("never goes where a server redirects to", async () => {
    const { get, requests } = clientOf({ status: 307, headers: { location: "https://evil.example.org/" } });
    await expect(get()).rejects.toThrow("redirects to https://evil.example.org/");
    expect(requests).toHaveLength(1);
  });

  it.each([
    ["a page", { body: "<html>Please log in</html>" }],
    ["other JSON", { body: { fine: 1 } }],
    ["a page with an error", { status: 404, body: "<html>Nothing</html>" }],
    ["half an answer", { body: '{"ok": tr' }],
  ])("is an error when the answer is %s", async (_, answer) => {
    await expect(clientOf(answer).get()).rejects.toThrow("not as Skep does");
  });

  it("shows no control characters of a server", async () => {
    const { get } = clientOf({ status: 422, body: { message: "\u001b[2Jgone\nnext" } });
    await expect(get()).rejects.toThrow(String.raw`\u001b[2Jgone\nnext`);
  });
});

/** What skep login keeps. */
const kept = (): Promise<string> => Promise.resolve("skep_c");

describe("the token", () => {
  it("comes from a file, the environment or skep login, in this order", async () => {
    const file = join(realFolder(), "token");
    writeFileSync(file, " skep_a \n");
    expect(await readToken(file, { SKEP_TOKEN: "skep_b" }, kept)).toBe("skep_a");
    expect(await readToken(undefined, { SKEP_TOKEN: "skep_b" }, kept)).toBe("skep_b");
    expect(await readToken(undefined, {}, kept)).toBe("skep_c");
  });

  it("is never repeated in an error", async () => {
    await expect(readToken(undefined, {}, () => Promise.resolve(undefined))).rejects.toThrow(
      "set SKEP_TOKEN, or give --token-file",
    );
    await expect(readToken(undefined, { SKEP_TOKEN: "a b" }, kept)).rejects.toThrow(
      /^SKEP_TOKEN: must hold a token/,
    );
    await expect(readToken("/nowhere/t", {}, kept)).rejects.toThrow(
      "/nowhere/t: the token cannot be read (ENOENT).",
    );
  });

  it.each([
    ["http://skep.example.org", true],
    ["http://127.example.org", true],
    ["https://skep.example.org", false],
    ["http://localhost:4488", false],
    ["http://127.0.0.1:4488", false],
    ["http://[::1]:4488", false],
  ])("to %s is warned about: %s", (server, isWarned) => {
    expect(insecureServerWarning(server) !== undefined).toBe(isWarned);
  });
});
