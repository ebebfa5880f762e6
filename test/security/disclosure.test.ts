/** Addresses that look like something else, and answers that must not tell. */
import nodeCrypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Storage } from "../../src/service/storage.ts";
import { harness, makeHive, type Harness, setUpWeb } from "../helpers/storage.ts";

let folder: string;
let storage: Storage;
let token: string;
let api: Harness;

beforeEach(async () => {
  const web = await setUpWeb({ locales: ["fr"] });
  ({ folder, storage, token } = web);
  await makeHive(storage, "secret", { team: "rival" });
  api = web;
});

const files = { files: { "a.php": { a: "x" } } };

describe("a slug that looks like something else", () => {
  it.each([
    "--help",
    "-rf",
    "..%2f..%2fetc",
    "web.git",
    "web%2f..%2fsecret",
    "%00",
    "web%00",
    "WEB",
    "web%20",
    "*",
    "refs%2fheads%2fmain",
    "%F0%9F%90%9D",
    "a".repeat(3_000),
  ])("is out of reach, as a missing one: %s", async (slug) => {
    const missing = await api.call("GET", "/api/hives/nope/strings");
    const refused = await api.call("POST", "/api/hives/nope/strings", { body: files });
    const read = await api.call("GET", `/api/hives/${slug}/strings`);
    const write = await api.call("POST", `/api/hives/${slug}/strings`, { body: files });
    expect([read.status, write.status]).toEqual([
      404,
      slug.includes("..") && !slug.includes("f") ? 404 : 403,
    ]);
    if (write.status === 403) expect([read.text, write.text]).toEqual([missing.text, refused.text]);
  });
});

describe("a slug of dots", () => {
  it.each(["..", "%2e%2e", "..%2fweb"])("leads nowhere: %s", async (slug) => {
    for (const path of [`/api/hives/${slug}/strings`, `/api/hives/web/${slug}/strings`]) {
      expect([403, 404, 405]).toContain((await api.call("POST", path, { body: files })).status);
    }
  });
});

describe("a locale that looks like something else", () => {
  it.each([
    "..%2f..%2fx",
    "%2e%2e",
    "--upload-pack",
    "fr%00",
    "fr%0aX",
    "hive.yaml",
    "*",
    "fr.json",
    "x".repeat(3_000),
  ])("is unknown: %s", async (locale) => {
    const reply = await api.call("POST", `/api/hives/web/translations/${locale}`, { body: files });
    // Dots are taken out of a URL before it is sent: `..` leads to the Hive, which takes no POST.
    expect([404, 405, 422]).toContain(reply.status);
    const exported = await api.exported(`locale=${locale}`);
    expect(exported.status).toBe(422);
    expect(exported.text.length).toBeLessThan(1_000);
  });
});

describe("no response", () => {
  it("distinguishes a Hive of another team from a missing one", async () => {
    for (const [method, path, body] of [
      ["GET", "strings", undefined],
      ["GET", "export", undefined],
      ["POST", "strings", files],
      ["PUT", "strings", files],
      ["POST", "translations/fr", files],
    ] as const) {
      const theirs = await api.call(method, `/api/hives/secret/${path}`, { body });
      const nobodys = await api.call(method, `/api/hives/nobody/${path}`, { body });
      expect([theirs.status, theirs.text]).toEqual([nobodys.status, nobodys.text]);
    }
  });

  it("shows a stack, a path or a module, whatever fails", async () => {
    const secret = new Error(`ENOENT: no such file '${folder}/hives/web.git'`);
    const fail = (): never => {
      throw secret;
    };
    const broken = (what: "registry" | "hives", method: string): Storage => ({
      ...storage,
      [what]: new Proxy(storage[what], {
        get: (target, name) => {
          if (name === method) return () => fail();
          const value: unknown = Reflect.get(target, name);
          return typeof value === "function" ? value.bind(target) : value;
        },
      }),
    });
    for (const failing of [broken("registry", "token"), broken("registry", "team"), broken("hives", "at")]) {
      const { call, logged } = harness(failing, token);
      for (const [method, body] of [
        ["GET", undefined],
        ["POST", files],
      ] as const) {
        const reply = await call(method, "/api/hives/web/strings", { body });
        expect([200, 500]).toContain(reply.status);
        expect(reply.text).not.toMatch(/\/tmp|ENOENT|node_modules|\.ts|\bat /);
        expect(JSON.stringify(logged)).not.toContain(token);
      }
    }
  });
});

describe("a token", () => {
  it("is compared in constant time, by hashes of one length", async () => {
    const compare = vi.spyOn(nodeCrypto, "timingSafeEqual");
    syncBuiltinESMExports();
    onTestFinished(() => {
      compare.mockRestore();
      syncBuiltinESMExports();
    });
    const wrong = token.slice(0, -4) + (token.endsWith("AAAA") ? "BBBB" : "AAAA");
    expect((await api.call("GET", "/api/hives/web/strings", { token: wrong })).status).toBe(401);
    expect(compare).toHaveBeenCalledTimes(1);
    const [a, b] = compare.mock.calls[0] ?? [];
    expect([a?.byteLength, b?.byteLength]).toEqual([64, 64]);
  });

  it("never reaches a log, nor does a body", async () => {
    const { call, logged, post } = harness(storage, token);
    await call("POST", "/api/hives/web/strings", { body: '{"files":{"a.php":{"a":"sesame' });
    await post({ "a.php": { sesame: 1 } });
    await call("POST", `/api/hives/web/strings?token=${token}`, { body: files });
    await call("GET", `/api/hives/web/strings/${token}`);
    expect(logged).toEqual([]);
  });
});
