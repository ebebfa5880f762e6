/** Attempts to sign in are bounded and recorded, and nobody can lock others out. */
import { beforeEach, describe, expect, it } from "vitest";
import type { AuditEntry } from "../../../src/domain/access/audit.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { CrashDisk, SystemError } from "../../helpers/crash-disk.ts";
import { makeHive, makeToken, memoryDisk, memoryStorage } from "../../helpers/storage.ts";
import { browse } from "./browse.ts";

const minute = 60_000;
let clock: { now: number };
let disk: CrashDisk;
let storage: Storage;
let token: string;

beforeEach(async () => {
  clock = { now: Date.parse("2026-01-31T00:00:00Z") };
  disk = new CrashDisk();
  storage = memoryStorage({ disk: memoryDisk(disk), now: () => clock.now });
  await makeHive(storage, "web");
  token = await makeToken(storage);
});

/** Fails to sign in. @returns the status of each attempt. */
async function failing(browser: ReturnType<typeof browse>, times: number): Promise<readonly number[]> {
  const statuses = [];
  for (let i = 0; i < times; i++) statuses.push((await browser.signIn("nonsense")).status);
  return statuses;
}

async function log(): Promise<readonly AuditEntry[]> {
  return (await storage.audit.read({ offset: 0, limit: 500 })).entries.toReversed().slice(1);
}

describe("wrong tokens", () => {
  it("are refused with a 429 after ten, whatever is sent then, and taken again after 15 minutes", async () => {
    const browser = browse(storage);
    expect(await failing(browser, 12)).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    const right = await browser.signIn(token);
    expect([right.status, right.headers.get("retry-after")]).toEqual([429, "900"]);
    expect(right.text).toContain("Too many attempts to sign in; try again in 15 minutes.");
    clock.now += 15 * minute;
    expect((await browser.signIn(token)).status).toBe(303);
  });

  it("of others lock nobody out of a browser in which they have signed in before", async () => {
    const known = browse(storage);
    await known.signIn(token);
    known.cookies.delete("skep");
    await failing(browse(storage), 20);
    const stranger = browse(storage);
    expect((await stranger.signIn(token)).status).toBe(429);
    expect((await known.signIn(token)).status).toBe(303);
    // And it has ten attempts of its own.
    expect((await failing(known, 11)).at(-1)).toBe(429);
  });

  it("count in an unknown browser, whatever its cookie says", async () => {
    const known = browse(storage);
    await known.signIn(token);
    const [content = "", signature = ""] = (known.cookies.get("skep-device") ?? "").split(".");
    await failing(browse(storage), 10);
    const forged = Buffer.from(content, "base64url")
      .toString()
      .replace(/"id":"(.)/, (_, first) => `"id":"${first === "_" ? "-" : "_"}`);
    const wrong = ["", "x", `${content}.`, `${Buffer.from(forged).toString("base64url")}.${signature}`];
    for (const value of wrong) {
      const browser = browse(storage);
      browser.cookies.set("skep-device", value);
      expect((await browser.signIn(token)).status).toBe(429);
    }
  });

  it("are a browser's own for 400 days", async () => {
    const known = browse(storage);
    await known.signIn(token);
    clock.now += 400 * 24 * 60 * minute;
    await failing(browse(storage), 10);
    expect((await known.signIn(token)).status).toBe(429);
  });
});

describe("the audit log", () => {
  it("has who signed in, and who was refused and why", async () => {
    const expired = await makeToken(storage, { lifetimeMs: 1 });
    const writer = await makeToken(storage, { abilities: ["write"] });
    clock.now += 1000;
    const browser = browse(storage);
    for (const one of [token, "nonsense", `${token}x`, expired, writer]) await browser.signIn(one);
    const idOf = (text: string): string => text.split("_")[1] ?? "";
    const entries = (await log()).filter(({ method }) => method === "token");
    const team = "acme";
    expect(entries.map(({ event, team: of, by, reason }) => [event, of, by?.token, reason])).toEqual([
      ["signed_in", team, idOf(token), undefined],
      ["sign_in_refused", undefined, undefined, "invalid_token"],
      ["sign_in_refused", team, idOf(token), "invalid_token"],
      ["sign_in_refused", team, idOf(expired), "expired_token"],
      ["sign_in_refused", team, idOf(writer), "missing_ability"],
    ]);
    const text = JSON.stringify(await log());
    for (const secret of [token, expired, writer]) expect(text).not.toContain(secret.split("_")[2]);
  });

  it("has attempts that were too many", async () => {
    await failing(browse(storage), 11);
    expect((await log()).at(-1)).toMatchObject({ event: "sign_in_refused", reason: "too_many_attempts" });
  });

  it("that cannot be written lets nobody in", async () => {
    const browser = browse(storage);
    await browser.signIn(token);
    browser.cookies.delete("skep");
    disk.before = (_, name, path) => {
      if (name === "write") throw new SystemError("ENOSPC", name, path);
    };
    const { status, headers } = await browser.signIn(token);
    expect([status, headers.getSetCookie()]).toEqual([507, []]);
  });
});
