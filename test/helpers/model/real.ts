/** The real application, as sequences of commands use it beside the model. */
import type fc from "fast-check";
import { expect } from "vitest";
import { branchNameOf, toBranchName, type HiveBranch } from "../../../src/domain/commits/branch-name.ts";
import { shownCodes } from "../../../src/domain/hives/hive-settings.ts";
import type { Move } from "../../../src/domain/move.ts";
import { moveContent } from "../../../src/domain/moves/moved-content.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { diffContent } from "../../../src/domain/strings/content-diff.ts";
import type { HiveContent } from "../../../src/domain/strings/hive-content.ts";
import { updateHive } from "../../../src/service/admin/hives.ts";
import type { Storage } from "../../../src/service/storage.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import * as model from "./model.ts";
import * as past from "./past.ts";
import type { Writer } from "./reviews.ts";
import { byCommand, harness, makeHive, makeToken, type Call } from "../storage.ts";

export const slugs = ["web", "app"];
export const branch = "next";
export const initialLocales = ["fr", "de", "ru"];

/** Makes a Hive, of whose texts the findings are known. */
export async function addHive(storage: Storage, slug: string): Promise<void> {
  await makeHive(storage, slug, { locales: initialLocales });
  const checks = { syntax: [{ files: "*", syntax: "i18next" }] } as const;
  await updateHive(storage, toHiveSlug(slug), { checks }, byCommand);
}

/** Where the real thing runs. */
export interface Processes {
  /** Opens the storage in new processes, after the end of those that were. The first ones find it empty. */
  readonly start: () => Promise<readonly Storage[]>;
  /** Of the folder that all of them share, where somebody with git can make commits. */
  readonly disk?: Disk;
  /** Looks at what is there after a sequence. */
  readonly end?: (storages: readonly Storage[], token: string) => Promise<void>;
  /** Ends the processes, also of a sequence that failed: fast-check tries very many smaller ones of it. */
  readonly close?: () => Promise<void>;
}

interface Sending {
  readonly headers?: Record<string, string>;
  readonly writer?: Writer;
}

/** The real thing: processes with one storage, of which each request takes one. */
export class Real {
  readonly #processes: Processes;
  readonly #pick: () => number;
  #running: readonly { readonly storage: Storage; readonly call: Call }[] = [];
  #token = "";
  #reviewed = "";

  /** @param pick gives numbers that say which process is next. */
  constructor(processes: Processes, pick: () => number) {
    this.#processes = processes;
    this.#pick = pick;
  }

  get disk(): Disk | undefined {
    return this.#processes.disk;
  }

  async start(): Promise<void> {
    const [storage] = await this.#processes.start();
    if (storage === undefined) throw new Error("no process");
    for (const slug of slugs) await addHive(storage, slug);
    const abilities = ["read", "write", "approve"] as const;
    this.#token = await makeToken(storage, { name: "writer", abilities });
    this.#reviewed = await makeToken(storage, { name: "reviewed", review: "always" });
    await this.restart();
  }

  async restart(): Promise<void> {
    const storages = await this.#processes.start();
    this.#running = storages.map((storage) => ({ storage, call: harness(storage, this.#token).call }));
  }

  async end(): Promise<void> {
    await this.#processes.end?.(
      this.#running.map(({ storage }) => storage),
      this.#token,
    );
  }

  get #next(): { storage: Storage; call: Call } {
    const process = this.#running[this.#pick() % this.#running.length];
    if (process === undefined) throw new Error("not started");
    return process;
  }

  /** The storage of the next process, for what is no request, with the Hives as the record has them. */
  async storage(): Promise<Storage> {
    const { storage } = this.#next;
    await storage.refresh?.(slugs.map((slug) => toHiveSlug(slug)));
    return storage;
  }

  async head(place: string): Promise<string> {
    return (await (await this.storage()).hives.at(toHiveBranch(place)).snapshot()).commit.oid;
  }

  /** The texts of a Hive or a branch. */
  async content(place: string): Promise<HiveContent> {
    const snapshot = await (await this.storage()).hives.at(toHiveBranch(place)).snapshot();
    return snapshot.content("all");
  }

  async exists(place: string): Promise<boolean> {
    const { registry, hives } = await this.storage();
    const slug = toHiveSlug(model.slugOf(place));
    if (!(await registry.teams()).some((team) => team.hives.includes(slug))) return false;
    return place === slug || (await hives.at(slug).branches.list()).has(branchNameOf(toHiveBranch(place)));
  }

  /** @param path begins with the name of a Hive, or with `slug@branch`, which stands for `?branch=`. */
  async call(method: string, path: string, body?: unknown, { headers = {}, writer }: Sending = {}) {
    const [place = "", ...rest] = path.split(/(?=\/)/);
    const [, name] = place.split("@");
    const made = {
      ...headers,
      ...(writer === "model" ? { "x-commit-origin": "model" } : {}),
      // Or else the same change of both sides, in the same second, could be one commit.
      ...(name === undefined ? {} : { "x-commit-ref": name }),
    };
    const sent = {
      ...(body === undefined ? {} : { body }),
      ...(writer === "reviewed" ? { token: this.#reviewed } : {}),
      headers: made,
    };
    const url = `/api/hives/${model.slugOf(place)}${rest.join("")}`;
    const query = name === undefined ? "" : `${url.includes("?") ? "&" : "?"}branch=${name}`;
    const { status, json } = await this.#next.call(method, url + query, sent);
    // What checks find in the texts of a write is not of the model.
    if (method !== "GET" && status === 200)
      for (const name of ["findings", "findings_total"]) delete json[name];
    return { status, json };
  }
}

export function toHiveBranch(name: string): HiveBranch {
  const [slug = "", own] = name.split("@");
  return own === undefined ? toHiveSlug(slug) : { slug: toHiveSlug(slug), branch: toBranchName(own) };
}

/** What a write is sent with. */
interface Sent {
  /** What the write changes, if the path does not say it. */
  readonly place?: string;
  readonly query?: string;
  /** Whether the write names the HEAD that it is for, after it was refused for another. */
  readonly namesHead?: boolean;
  readonly writer?: Writer;
}

/**
 * A write, asked for first: the dry run answers as the write then does, and HEAD is where it was. It is sent twice under
 * a key of its own: if it made a commit, the second answer is the first.
 */
export async function guarded(real: Real, method: string, path: string, body: object, options: Sent = {}) {
  const { place: hive = path.replace(/\/.*/, ""), query = "", namesHead = false, writer } = options;
  const there = await real.exists(hive);
  const before = there ? await real.head(hive) : undefined;
  const content = there ? await real.content(hive) : undefined;
  const dry = await real.call(method, `${path}?dry_run=true${query}`, body, { writer });
  const url = `${path}${query.replace("&", "?")}`;
  const headers: Record<string, string> = { "idempotency-key": `run-${keys++}` };
  if (namesHead && before !== undefined) {
    const other = await real.call(method, url, body, {
      headers: { ...headers, "if-match": `"${"0".repeat(40)}"` },
      writer,
    });
    expect(other.status).toBe(412);
    headers["if-match"] = `"${before}"`;
  }
  if (before !== undefined) expect(await real.head(hive)).toBe(before);
  const reply = await real.call(method, url, body, { headers, writer });
  if (reply.status === 200) {
    const { commit, changes, changes_total: total, unknown_keys: _, moves = [], ...counts } = dry.json;
    const { branch_deleted: __, ...told } = reply.json;
    expect({ status: dry.status, commit, counts, total }).toEqual({
      status: 200,
      commit: before,
      counts: told,
      total: changes.filter(({ change }: { change: string }) => !["unknown", "skipped"].includes(change))
        .length,
    });
    if (!(await real.exists(hive))) return reply;
    if (content !== undefined)
      expect(linesOf(changes)).toEqual(await differences(content, await real.content(hive), moves));
    const after = await real.head(hive);
    if (after !== before) expect(await real.call(method, url, body, { headers, writer })).toEqual(reply);
    expect(await real.head(hive)).toBe(after);
  } else expect(dry).toEqual(reply);
  return reply;
}

let keys = 0;

interface ChangedText {
  readonly change: string;
  readonly locale: string;
  readonly file: string;
  readonly key: string;
  readonly before?: string | null;
  readonly after?: string | null;
}

const linesOf = (changes: readonly ChangedText[]): readonly string[] =>
  changes
    .flatMap(({ change, locale, file, key, before, after }) =>
      ["unknown", "skipped"].includes(change)
        ? []
        : [[locale, file, key, JSON.stringify([before ?? null, after ?? null])].join(" ")],
    )
    .toSorted();

/** How texts differ from what they were after moves: what a dry run has to list, and nothing else. */
async function differences(
  before: HiveContent,
  after: HiveContent,
  moves: readonly Move[],
): Promise<readonly string[]> {
  const { content, lost } = await moveContent({ content: before, markers: new Map() }, moves);
  const shown = shownCodes(after.settings);
  const all = [...lost, ...(await diffContent(content, after))];
  return linesOf(all.map((one) => Object.assign({}, one, { locale: shown(one.locale) })));
}

export type Command = fc.AsyncCommand<model.Model, Real>;

/** A command; what the Hives are after it is noted with their commits. */
export function command(name: string, run: (m: model.Model, real: Real) => Promise<void>): Command {
  const runAndRecord = async (m: model.Model, real: Real): Promise<void> => {
    await run(m, real);
    for (const [hive, state] of m.hives) past.record(state, await real.head(hive));
  };
  return { check: () => true, run: runAndRecord, toString: () => name };
}

export function expectSame(real: { status: number; json: unknown }, expected: model.Answer): void {
  expect(real.status).toBe(expected.status);
  if (expected.body !== undefined) expect(real.json).toEqual(expected.body);
}

/** Where conflicts are, as `locale file key`. */
export function namesOf(conflicts: readonly { locale: string; file: string; key: string }[]): string[] {
  return conflicts.map((one) => `${one.locale.replace("_DE", "")} ${one.file} ${one.key}`).toSorted();
}
