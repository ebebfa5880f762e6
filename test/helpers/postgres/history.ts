/** Clients of several servers with one database, and what must be true of all that they were answered. */
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { toTeamName } from "../../../src/domain/names.ts";
import { updateTeam } from "../../../src/service/admin/teams.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { git, request, type RunningServer } from "../process.ts";
import { makeHive, makeToken } from "../storage.ts";
import { Registers } from "./registers.ts";
import { expectSameEverywhere } from "./truth.ts";

const slugs = ["web", "app"];
const writers = 8;
/** More strings are sent than the quota has room for. */
const [fillers, fillsEach, room] = [4, 8, 20];

/** A server, which may be replaced by another one on the same folder. */
export interface Slot {
  readonly folder: string;
  server: RunningServer;
}

export interface HistoryOptions {
  readonly slots: readonly Slot[];
  /** Another storage on the same database. */
  readonly storage: Storage;
  readonly url: string;
  /** After this time a client asks another server, whatever became of its request; then after a longer time. */
  readonly patienceMs: number;
  /** How long it takes about until the quota is used up. */
  readonly fillMs: number;
  /** How long each client waits between two requests. */
  readonly pauseMs: number;
}

export interface History {
  readonly isOver: () => boolean;
  /** Waits until some more writes were acknowledged. */
  readonly progress: () => Promise<void>;
  /**
   * Ends all clients, and expects what they were answered to be what one server would have answered.
   * @returns how often they were told that the database does not answer, and when to ask again.
   */
  readonly end: () => Promise<{ readonly unavailable: number }>;
}

/** Makes the Hives that the clients work in, before there are servers. */
export async function makeHives(storage: Storage): Promise<void> {
  for (const slug of slugs) await makeHive(storage, slug, { locales: ["fr"] });
  await updateTeam(storage, toTeamName("acme"), { maxStrings: writers + room });
}

/** A request to any of the servers. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

/** What the clients ask servers with. */
class Clients {
  /** How often a server has said that its database does not answer. */
  unavailable = 0;
  readonly #options: HistoryOptions;
  readonly #token: string;

  constructor(options: HistoryOptions, token: string) {
    this.#options = options;
    this.#token = token;
  }

  /** Asks any server; undefined without an answer in time. */
  async ask({ method, path, body, headers = {} }: Asked, patienceMs = this.#options.patienceMs) {
    const { slots } = this.#options;
    const slot = slots[Math.floor(Math.random() * slots.length)];
    if (slot === undefined) throw new Error("no server");
    const late = new AbortController();
    const asking = request(slot.server, this.#token, method, path, body, headers).catch((error: unknown) => {
      // What the OpenAPI document does not describe is an error of the test, too.
      if (error instanceof TypeError) return undefined;
      throw error;
    });
    try {
      const patience = sleep(patienceMs, undefined, { signal: late.signal }).catch(() => undefined);
      const reply = await Promise.race([asking, patience]);
      if (reply?.status === 503) {
        expect(reply.json.code).toBe("record_unavailable");
        expect(reply.headers.get("retry-after")).toMatch(/^\d+$/);
        this.unavailable++;
      }
      return reply;
    } finally {
      late.abort();
    }
  }

  /** Sends a write under a key to one server after the other, until one has answered. */
  async insist(slug: string, key: string, text: string) {
    for (let tries = 0; ; tries++) {
      const body = { files: { "a.json": { [key]: text } } };
      const headers = { "idempotency-key": `${slug}-${key}-${text}` };
      // A slow machine may take longer for each answer than the patience is at first.
      const patienceMs = this.#options.patienceMs * (tries + 1);
      const reply = await this.ask(
        { method: "POST", path: `/api/hives/${slug}/strings`, body, headers },
        patienceMs,
      );
      if (reply?.status === 200 || reply?.status === 422) return reply;
      if (reply !== undefined) expect([409, 503]).toContain(reply.status);
      if (tries > 500) throw new Error(`no server takes ${key}`);
      await sleep(Math.max(20, this.#options.pauseMs) * (1 + Math.random() * 2));
    }
  }

  async textsOf(slug: string): Promise<Record<string, string> | undefined> {
    const reply = await this.ask({ method: "GET", path: `/api/hives/${slug}/strings?per_page=500` });
    if (reply === undefined || reply.status === 503) return undefined;
    expect(reply.status).toBe(200);
    const items: readonly { key: string; source_value: string }[] = reply.json.data;
    return Object.fromEntries(items.map(({ key, source_value: text }) => [`${slug} ${key}`, text]));
  }
}

/** Starts clients that write and read the Hives of {@link makeHives}, each asking any of the servers. */
export async function startHistory(options: HistoryOptions): Promise<History> {
  const { storage, url, slots, fillMs, pauseMs } = options;
  const token = await makeToken(storage);
  const clients = new Clients(options, token);
  const registers = new Registers();
  const commits = new Map<string, string>();
  const over = new AbortController();
  let acknowledged = 0;

  const write = async (w: number): Promise<void> => {
    const slug = slugs[w % 2] ?? "";
    while (!over.signal.aborted) {
      await registers.write(`${slug} w${w}`, async (version) => {
        const { status, headers } = await clients.insist(slug, `w${w}`, `v${version}`);
        expect(status).toBe(200);
        commits.set(`${slug} w${w} ${version}`, headers.get("x-skep-commit") ?? "");
        acknowledged++;
      });
      await sleep(pauseMs);
    }
  };
  const fill = async (f: number): Promise<number> => {
    let accepted = 0;
    for (let i = 0; i < fillsEach; i++) {
      const slug = slugs[(f + i) % 2] ?? "";
      const { status, json, headers } = await clients.insist(slug, `f${f}_${i}`, "x");
      if (status === 200) {
        expect(json.created).toBe(1);
        commits.set(`${slug} f${f}_${i}`, headers.get("x-skep-commit") ?? "");
        accepted++;
      } else expect(json.code).toBe("quota_exceeded");
      await sleep((Math.random() * 2 * fillMs) / fillsEach, undefined, { signal: over.signal }).catch(
        () => {},
      );
    }
    return accepted;
  };
  const read = async (slug: string): Promise<void> => {
    while (!over.signal.aborted) {
      await registers.read(`${slug} `, async () => {
        const texts = await clients.textsOf(slug);
        return texts && new Map(Object.entries(texts).map(([key, text]) => [key, Number(text.slice(1))]));
      });
      await sleep(pauseMs);
    }
  };

  // Quota is kept for them: each has its string before others are added.
  for (let w = 0; w < writers; w++) {
    const { status, headers } = await clients.insist(slugs[w % 2] ?? "", `w${w}`, "v0");
    expect(status).toBe(200);
    commits.set(`first ${w}`, headers.get("x-skep-commit") ?? "");
  }
  const writing = Promise.all(Array.from({ length: writers }, (_, w) => write(w)));
  const filling = Promise.all(Array.from({ length: fillers }, (_, f) => fill(f)));
  // A server is asked for one Hive, or the other.
  const reading = Promise.all(slugs.flatMap((slug) => [read(slug), read(slug)]));
  const all = Promise.all([writing, filling, reading]);
  all.catch(() => over.abort());

  const progress = async (): Promise<void> => {
    const before = acknowledged;
    await vi.waitUntil(() => over.signal.aborted || acknowledged > before + 5, {
      timeout: 120_000,
      interval: 10,
    });
  };

  const end: History["end"] = async () => {
    await progress();
    over.abort();
    const [, accepted] = await all;
    expect(registers.problems()).toEqual([]);
    expect(accepted.reduce((sum, one) => sum + one, 0)).toBe(room);
    // Each acknowledged write is one commit of its own, and there are no others.
    await expectSameEverywhere(url, [storage]);
    const made = await Promise.all(
      slugs.map(async (slug) =>
        (await git(join(storage.folder, "hives", `${slug}.git`), "rev-list", "main")).trim().split("\n"),
      ),
    );
    expect(new Set(commits.values()).size).toBe(commits.size);
    expect(made.flat().length).toBe(commits.size + slugs.length);
    expect([...commits.values()].filter((commit) => !made.flat().includes(commit))).toEqual([]);
    for (const slot of slots) {
      const one = new Clients({ ...options, slots: [slot] }, token);
      for (const slug of slugs) {
        await vi.waitUntil(async () => (await one.textsOf(slug)) !== undefined, { timeout: 120_000 });
        const head = await git(join(slot.folder, "hives", `${slug}.git`), "rev-parse", "main");
        expect(made.flat()).toContain(head.trim());
        expect(head.trim()).toBe(made[slugs.indexOf(slug)]?.[0]);
      }
      expect(await slot.server.stop()).toBe(0);
      expect(slot.server.stderr()).not.toContain("uncaught error");
      for (const slug of slugs) {
        const repository = join(slot.folder, "hives", `${slug}.git`);
        expect(await git(repository, "fsck", "--full", "--strict", "--no-dangling")).toBe("");
      }
    }
    return clients;
  };
  return { isOver: () => over.signal.aborted, progress, end };
}
