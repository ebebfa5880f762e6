/**
 * The real application against a plain model: random sequences of every endpoint and command, with restarts, second
 * processes and commits from outside.
 */
import fc from "fast-check";
import { expect } from "vitest";
import { branchNameOf, toBranchName, type HiveBranch } from "../../../src/domain/commits/branch-name.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import { pluralModes } from "../../../src/domain/hives/hive-settings.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { deleteHive, updateHive } from "../../../src/service/admin/hives.ts";
import { addLocales, removeFile, removeLocale, changeLocale } from "../../../src/service/admin/locales.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { updateTeam } from "../../../src/service/admin/teams.ts";
import { verify } from "../../../src/service/operations/verify.ts";
import { BareRepo } from "../../../src/git/bare-repo.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { toCommit, toGitObject } from "../../../src/git/objects/git-object.ts";
import { changeTree } from "../../../src/git/objects/tree.ts";
import * as model from "./model.ts";
import { dropLostNotes } from "./notes.ts";
import * as branching from "./branches.ts";
import * as past from "./past.ts";
import { harness, makeHive, makeToken, byCommand, type Call } from "../storage.ts";

const slugs = ["web", "app"];
const branch = "next";
const initialLocales = ["fr", "de", "ru"];

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

/** The real thing: processes with one storage, of which each request takes one. */
class Real {
  readonly #processes: Processes;
  readonly #pick: () => number;
  #running: readonly { readonly storage: Storage; readonly call: Call }[] = [];
  #token = "";

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
    for (const slug of slugs) await makeHive(storage, slug, { locales: initialLocales });
    this.#token = await makeToken(storage);
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

  async exists(place: string): Promise<boolean> {
    const { registry, hives } = await this.storage();
    const slug = toHiveSlug(model.slugOf(place));
    if (!(await registry.teams()).some((team) => team.hives.includes(slug))) return false;
    return place === slug || (await hives.at(slug).branches.list()).has(branchNameOf(toHiveBranch(place)));
  }

  /** @param path begins with the name of a Hive, or with `slug@branch`, which stands for `?branch=`. */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const sent = body === undefined ? {} : { body };
    const [place = "", ...rest] = path.split(/(?=\/)/);
    const [, name] = place.split("@");
    const url = `/api/hives/${model.slugOf(place)}${rest.join("")}`;
    const query = name === undefined ? "" : `${url.includes("?") ? "&" : "?"}branch=${name}`;
    const { status, json } = await this.#next.call(method, url + query, { ...sent, headers });
    return { status, json };
  }
}

function toHiveBranch(name: string): HiveBranch {
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
}

/**
 * A write, asked for first: the dry run answers as the write then does, and HEAD is where it was. It is sent twice under
 * a key of its own: if it made a commit, the second answer is the first.
 */
async function guarded(real: Real, method: string, path: string, body: object, options: Sent = {}) {
  const { place: hive = path.replace(/\/.*/, ""), query = "", namesHead = false } = options;
  const there = await real.exists(hive);
  const before = there ? await real.head(hive) : undefined;
  const dry = await real.call(method, `${path}?dry_run=true${query}`, body);
  const url = `${path}${query.replace("&", "?")}`;
  const headers: Record<string, string> = { "idempotency-key": `run-${keys++}` };
  if (namesHead && before !== undefined) {
    const other = await real.call(method, url, body, { ...headers, "if-match": `"${"0".repeat(40)}"` });
    expect(other.status).toBe(412);
    headers["if-match"] = `"${before}"`;
  }
  if (before !== undefined) expect(await real.head(hive)).toBe(before);
  const reply = await real.call(method, url, body, headers);
  if (reply.status === 200) {
    const { commit, changes, changes_total: total, unknown_keys: _, moves: __, ...counts } = dry.json;
    const { branch_deleted: ___, ...told } = reply.json;
    expect({ status: dry.status, commit, counts, total }).toEqual({
      status: 200,
      commit: before,
      counts: told,
      total: changes.filter(({ change }: { change: string }) => !["unknown", "skipped"].includes(change))
        .length,
    });
    if (!(await real.exists(hive))) return reply;
    const after = await real.head(hive);
    if (after !== before) expect(await real.call(method, url, body, headers)).toEqual(reply);
    expect(await real.head(hive)).toBe(after);
  } else expect(dry).toEqual(reply);
  return reply;
}

let keys = 0;

type Command = fc.AsyncCommand<model.Model, Real>;

/** A command; what the Hives are after it is noted with their commits. */
function command(name: string, run: (m: model.Model, real: Real) => Promise<void>): Command {
  const runAndRecord = async (m: model.Model, real: Real): Promise<void> => {
    await run(m, real);
    for (const [hive, state] of m.hives) past.record(state, await real.head(hive));
  };
  return { check: () => true, run: runAndRecord, toString: () => name };
}

function expectSame(real: { status: number; json: unknown }, expected: model.Answer): void {
  expect(real.status).toBe(expected.status);
  if (expected.body !== undefined) expect(real.json).toEqual(expected.body);
}

const key = fc.constantFrom("x", "y", "z", "n.x", "n.y", "0");
const text = fc.constantFrom("one", "two", "three", "");
const slug = fc.constantFrom(...slugs);
/** A Hive at main, or at its branch. */
const target = fc.constantFrom(...slugs, `web@${branch}`);
const locale = fc.constantFrom("fr", "de", "ru");
/** Keys of plural strings, one that makes a group none, and one that only some languages have. */
const pluralKey = fc.constantFrom("p_one", "p_other", "p_few", "p_zero", "g.zero", "g.one", "g.other", "g.x");
const files = fc.dictionary(
  fc.constantFrom("a.php", "b.yaml", "en.json"),
  fc.dictionary(key, text, { maxKeys: 4 }),
  { maxKeys: 3 },
);
const pluralFiles = fc.dictionary(
  fc.constantFrom("a.php", "en.json"),
  fc.dictionary(pluralKey, text, { minKeys: 3, maxKeys: 6 }),
  { minKeys: 1, maxKeys: 2 },
);
const sentKey = fc.oneof(key, pluralKey, fc.constantFrom("p_few", "p_many", "g.few", "g.many", "g.zero"));
const sentName = fc.constantFrom("a.php", "b.yaml", "en.json", "a.json", "fr/a.php", "fr.json", "nope.php");
const sent = fc.dictionary(
  sentName,
  fc.dictionary(
    fc.oneof(
      sentKey,
      sentKey.map((k) => `a.${k}`),
    ),
    text,
    { maxKeys: 5 },
  ),
  { maxKeys: 3 },
);

const forms = ["p_one", "p_few", "p_many", "p_other", "g.one", "g.few", "g.many", "g.other"];
const sentForms = fc.dictionary(
  fc.constantFrom("a.php", "en.json", "fr.json"),
  fc.dictionary(fc.constantFrom(...forms, ...forms.map((form) => `a.${form}`)), text, {
    minKeys: 2,
    maxKeys: 8,
  }),
  { minKeys: 1, maxKeys: 2 },
);

const write = fc
  .tuple(
    target,
    fc.oneof(files, pluralFiles),
    fc.constantFrom("import" as const, "sync" as const),
    fc.boolean(),
    fc.option(fc.constantFrom("A", "B"), { nil: undefined }),
  )
  .map(([hive, content, mode, clear, note]) =>
    command(`${mode} ${hive} ${JSON.stringify(content)}${clear ? " clear" : ""} ${note}`, async (m, real) => {
      const said = note === undefined ? {} : firstKeys(content, note);
      const notes = Object.fromEntries(
        Object.entries(said).map(([file, keys]) => [file, mapValues(keys, (text) => ({ note: text }))]),
      );
      const body = { files: content, notes, conflict_strategy: clear ? "clear" : "keep" };
      const reply = await guarded(real, mode === "sync" ? "PUT" : "POST", `${hive}/strings`, body);
      expectSame(reply, model.importSource(m, hive, content, mode, clear, said));
    }),
  );

/** Something to say about the first key of each file. */
function firstKeys(content: model.Files, text: string): model.Files {
  const keys = Object.entries(content).map(
    ([file, texts]) => [file, Object.keys(texts).slice(0, 1)] as const,
  );
  return Object.fromEntries(keys.map(([file, [own]]) => [file, own === undefined ? {} : { [own]: text }]));
}

function mapValues<T>(
  record: Readonly<Record<string, string>>,
  map: (value: string) => T,
): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

const place = fc.record({
  file: fc.constantFrom("a.php", "b.yaml", "en.json"),
  key: fc.oneof(key, pluralKey, fc.constantFrom("q_one", "q_other", "new", "n.new")),
});

const someFiles = {
  "a.php": { x: "one", y: "two", "n.x": "three", p_one: "one p", p_other: "many p" },
  "en.json": { z: "two", "g.one": "one g", "g.other": "many g" },
};
const someTexts = {
  x: "un",
  y: "deux",
  z: "deux",
  p_one: "1",
  p_few: "2",
  p_many: "5",
  p_other: "9",
  "g.few": "3",
};

interface Change {
  readonly content: model.Files;
  readonly mode: "import" | "sync";
  readonly code: string;
  readonly texts: model.Files;
}

/** Imports source strings and translations. */
async function change(m: model.Model, real: Real, hive: string, sending: Change): Promise<void> {
  const { content, mode, code, texts } = sending;
  const source = await real.call(mode === "sync" ? "PUT" : "POST", `${hive}/strings`, { files: content });
  expectSame(source, model.importSource(m, hive, content, mode, false));
  const there = m.hives.get(hive);
  if (there === undefined) return;
  past.record(there, await real.head(hive));
  const translated = await real.call("POST", `${hive}/translations/${code}`, { files: texts });
  const named = code === "fr" ? texts : withoutFrench(texts);
  expectSame(translated, model.importTranslations(m, hive, code, named, false));
  past.record(there, await real.head(hive));
}

/** Gives a Hive that is empty strings and translations: moves of nothing would show nothing. */
async function fill(m: model.Model, real: Real, hive: string): Promise<void> {
  if (m.hives.get(hive)?.files.size !== 0) return;
  const texts = { "a.php": someTexts, "en.json": someTexts };
  for (const code of ["fr", "ru"])
    await change(m, real, hive, { content: someFiles, mode: "import", code, texts });
}

function stringAt(m: model.Model, hive: string, pick: number): model.Place {
  const strings = Object.keys(model.strings(m, hive) ?? {});
  const [file = "a.php", own = "x"] = strings[pick % strings.length]?.split(" ") ?? [];
  return { file, key: own };
}

/** Most random places have no string, so most moves are made to begin at one that there is. */
const move = fc
  .tuple(
    target,
    fc.array(fc.record({ from: fc.option(place, { freq: 10 }), pick: fc.nat({ max: 20 }), to: place }), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([hive, some]) =>
    command(`move ${hive} ${JSON.stringify(some)}`, async (m, real) => {
      await fill(m, real, hive);
      const moves = some.map(({ from, pick, to }) => ({ from: from ?? stringAt(m, hive, pick), to }));
      const reply = await guarded(real, "POST", `${hive}/keys/move`, { moves });
      expectSame(reply, model.moveStrings(m, hive, moves));
    }),
  );

/** What the Hive has, with some keys and files renamed, and some other texts. */
const movingSync = fc
  .tuple(
    target,
    fc.array(fc.record({ pick: fc.nat({ max: 9 }), to: place, text }), { maxLength: 3 }),
    fc.boolean(),
  )
  .map(([hive, changes, withFile]) =>
    command(`moving sync ${hive} ${JSON.stringify(changes)} ${withFile}`, async (m, real) => {
      await fill(m, real, hive);
      const content: Record<string, Record<string, string>> = {};
      const put = (file: string, own: string, value: string) => {
        content[file] = { ...content[file], [own]: value };
      };
      for (const [i, [name, value]] of Object.entries(model.strings(m, hive) ?? {}).entries()) {
        const [file = "", own = ""] = name.split(" ");
        const renamed = withFile && file === "a.php" ? "b.yaml" : file;
        content[file] ??= {};
        const changed = changes.find(({ pick }) => pick === i);
        if (changed === undefined) put(renamed, own, value);
        else put(changed.to.file, changed.to.key, i % 3 === 0 ? changed.text : value);
      }
      const path = `${hive}/strings?detect_moves=true`;
      const dry = await real.call("PUT", `${path}&dry_run=true`, { files: content });
      const { status, json } = await real.call("PUT", path, { files: content });
      if (status === 200) expect(dry.json).toMatchObject(json);
      const { ambiguous_moves: _, ...counts } = json;
      expectSame({ status, json: counts }, model.movingSync(m, hive, content, dry.json.moves ?? []));
    }),
  );

const translate = fc
  .tuple(target, locale, fc.oneof(sent, sentForms), fc.boolean())
  .map(([hive, code, content, overwrite]) =>
    command(
      `translate ${hive} ${code} ${JSON.stringify(content)}${overwrite ? " overwrite" : ""}`,
      async (m, real) => {
        const strategy = overwrite ? "overwrite" : "skip";
        const reply = await guarded(real, "POST", `${hive}/translations/${code}`, {
          files: content,
          overwrite_strategy: strategy,
        });
        const named = code === "fr" ? content : withoutFrench(content);
        expectSame(reply, model.importTranslations(m, hive, code, named, overwrite));
      },
    ),
  );

/** Names with `fr` mean something to French alone; for other locales the model takes them for unknown names. */
function withoutFrench(content: model.Files): model.Files {
  return Object.fromEntries(
    Object.entries(content).map(([name, texts]) => [name.startsWith("fr") ? `no/${name}` : name, texts]),
  );
}

const note = fc
  .tuple(target, fc.nat({ max: 20 }), fc.constantFrom("one", "two", null))
  .map(([hive, pick, said]) =>
    command(`note ${hive} ${pick} ${said}`, async (m, real) => {
      await fill(m, real, hive);
      const at = stringAt(m, hive, pick);
      const body = { files: { [at.file]: { [at.key]: { note: said } } } };
      const { status, json } = await real.call("PATCH", `${hive}/notes`, body);
      expectSame({ status, json }, past.say(m, hive, `${at.file} ${at.key}`, said));
    }),
  );

interface NoteItem {
  readonly file: string;
  readonly key: string;
  readonly app: { readonly note?: string } | null;
  readonly team: { readonly note?: string } | null;
}

const notes = target.map((hive) =>
  command(`notes ${hive}`, async (m, real) => {
    const { status, json } = await real.call("GET", `${hive}/notes?per_page=500`);
    const items: readonly NoteItem[] = status === 200 ? json.data : [];
    const read = items.map((one) => [`${one.file} ${one.key}`, { app: one.app?.note, team: one.team?.note }]);
    expectSame({ status, json: Object.fromEntries(read) }, past.notesOf(m, hive));
  }),
);

const list = fc.tuple(target, fc.integer({ min: 1, max: 4 })).map(([hive, perPage]) =>
  command(`list ${hive} by ${perPage}`, async (m, real) => {
    const expected = model.strings(m, hive);
    const found: Record<string, string> = {};
    for (let page = 1, last = 1; page <= last; page++) {
      const { status, json } = await real.call("GET", `${hive}/strings?per_page=${perPage}&page=${page}`);
      expect(status).toBe(expected === undefined ? 404 : 200);
      if (expected === undefined) return;
      last = json.meta.last_page;
      for (const one of json.data) found[`${one.file} ${one.key}`] = one.source_value;
    }
    expect(found).toEqual(expected);
  }),
);

interface StaleItem {
  readonly file: string;
  readonly key: string;
  readonly old_source_value: string;
}

interface UntranslatedItem {
  readonly file: string;
  readonly key: string;
  readonly old_source_value: string | null;
}

const stale = fc.tuple(target, fc.constantFrom("fr", "de", "ru")).map(([hive, code]) =>
  command(`stale ${hive} ${code}`, async (m, real) => {
    const { status, json } = await real.call("GET", `${hive}/stale?locale=${code}`);
    const items: StaleItem[] = status === 200 ? json.data : [];
    const read = items.map((one) => [`${one.file} ${one.key}`, one.old_source_value]);
    expectSame({ status, json: Object.fromEntries(read) }, past.stale(m, hive, code));
  }),
);

const untranslated = fc.tuple(target, fc.constantFrom("fr", "de", "ru")).map(([hive, code]) =>
  command(`untranslated ${hive} ${code}`, async (m, real) => {
    const { status, json } = await real.call("GET", `${hive}/untranslated?locale=${code}`);
    const items: readonly UntranslatedItem[] = status === 200 ? json.data : [];
    const read = items.map((one) => [`${one.file} ${one.key}`, one.old_source_value]);
    expectSame({ status, json: Object.fromEntries(read) }, past.untranslated(m, hive, code));
  }),
);

const confirm = fc
  .tuple(target, locale, fc.constantFrom("a.php", "en.json"), fc.array(sentKey, { maxLength: 4 }))
  .map(([hive, code, file, keys]) =>
    command(`confirm ${hive} ${code} ${file} ${keys.join(",")}`, async (m, real) => {
      const reply = await real.call("POST", `${hive}/stale/confirm`, { locale: code, file, keys });
      expectSame(reply, past.confirm(m, hive, code, file, keys));
    }),
  );

/** Where conflicts are, as `locale file key`. */
function namesOf(conflicts: readonly { locale: string; file: string; key: string }[]): string[] {
  return conflicts.map((one) => `${one.locale.replace("_DE", "")} ${one.file} ${one.key}`).toSorted();
}

/** One of the last commits, or the first: with what came before it forgotten, most would be in conflict. */
const undo = fc
  .tuple(target, fc.nat({ max: 4 }), fc.boolean())
  .map(([hive, age, skip]) =>
    command(`undo ${hive} ${age} back${skip ? " skip" : ""}`, (m, real) =>
      takeBack(m, real, hive, age, skip),
    ),
  );

async function takeBack(m: model.Model, real: Real, hive: string, age: number, skip: boolean): Promise<void> {
  const there = m.hives.get(hive);
  const history = there === undefined ? [] : past.undoable(there);
  const { commit = "0".repeat(40), hasMoves = false } = history.at(-1 - age) ?? history[0] ?? {};
  const body = { commit, on_conflict: skip ? "skip" : "fail" };
  const { status, json } = await guarded(real, "POST", `${hive}/undo`, body);
  if (hasMoves) {
    // Locales may have come and gone since without a commit of the texts.
    const expected = past.undoMoves(m, hive);
    return expect([status, json.skipped]).toEqual([expected.status, expected.status === 200 ? 0 : undefined]);
  }
  const expected = past.undo(m, hive, commit, skip);
  // The model knows texts without their order: an undo of an order alone counts nothing.
  const isOfOrder = status === 200 && Object.values(json).every((count) => count === 0);
  if (isOfOrder && expected.status !== 200) return expect(expected.status).toBe(422);
  if (status !== 409) return expectSame({ status, json }, expected);
  const wanted = Array.isArray(expected.body) ? expected.body.toSorted() : [];
  expectSame({ status, json: namesOf(json.conflicts) }, { status: expected.status, body: wanted });
}

const exportLocale = fc.tuple(target, fc.constantFrom("fr", "de", "ru", "en")).map(([hive, code]) =>
  command(`export ${hive} ${code}`, async (m, real) => {
    const { status, json } = await real.call("GET", `${hive}/export?locale=${code}`);
    const read =
      status === 200
        ? Object.entries<string>(json.files).map(([name, content]) => [name, JSON.parse(content)])
        : [];
    expectSame({ status, json: Object.fromEntries(read) }, { ...model.exported(m, hive, code) });
  }),
);

const tagName = fc.constantFrom("v1", "V1", "v2");

const tag = fc.tuple(slug, tagName).map(([hive, name]) =>
  command(`tag ${hive} ${name}`, async (m, real) => {
    expectSame(await real.call("POST", `${hive}/tags`, { name }), model.tag(m, hive, name));
  }),
);

const exportAt = fc
  .tuple(target, fc.constantFrom("fr", "de", "ru", "en"), tagName)
  .map(([hive, code, name]) =>
    command(`export ${hive} ${code} at ${name}`, async (m, real) => {
      const { status, json } = await real.call("GET", `${hive}/export?locale=${code}&at=${name}`);
      const read =
        status === 200
          ? Object.entries<string>(json.files).map(([file, content]) => [file, JSON.parse(content)])
          : [];
      expectSame({ status, json: Object.fromEntries(read) }, model.exportedAt(m, hive, code, name));
    }),
  );

/** Undoes nothing, and adds up: what every commit changed, one after the other, is what is there. */
const historyAddsUp = target.map((hive) =>
  command(`history ${hive}`, async (m, real) => {
    const expected = model.strings(m, hive);
    const { status, json } = await real.call("GET", `${hive}/history?per_page=500`);
    expect(status).toBe(expected === undefined ? 404 : 200);
    if (expected === undefined) return;
    const texts: Record<string, string> = {};
    for (const { commit } of json.data.toReversed()) {
      const shown = await real.call("GET", `${hive}/history/${commit}?per_page=500`);
      for (const { locale, file, key, before, after } of shown.json.data) {
        if (locale !== "en") continue;
        expect(texts[`${file} ${key}`] ?? null).toBe(before);
        if (after === null) delete texts[`${file} ${key}`];
        else texts[`${file} ${key}`] = after;
      }
    }
    expect(texts).toEqual(expected);
  }),
);

/** Runs a service operation; a Hive that is not there is the only thing that may stop it. */
async function unlessMissing(operation: Promise<unknown>): Promise<void> {
  await operation.catch((error: unknown) => {
    if (!isFailure(error, "not-found")) throw error;
  });
}

const locales = fc.tuple(slug, locale).map(([hive, code]) =>
  command(`add or remove locale ${hive} ${code}`, async (m, real) => {
    // What a branch has of a locale that comes and goes is not in the model.
    if (branching.withBranches(m, hive).length > 1) return;
    const there = m.hives.get(hive)?.translations.has(code) ?? false;
    const storage = await real.storage();
    if (there) {
      m.hives.get(hive)?.translations.delete(code);
      await removeLocale(storage, toHiveSlug(hive), code, byCommand);
    } else {
      m.hives.get(hive)?.translations.set(code, new Map());
      await unlessMissing(addLocales(storage, toHiveSlug(hive), [toLocale(code)], byCommand));
    }
  }),
);

const customCode = fc.tuple(slug, fc.boolean()).map(([hive, on]) =>
  command(`custom code ${hive} ${on}`, async (m, real) => {
    const there = m.hives.get(hive)?.translations.has("de") ?? false;
    const changed = changeLocale(
      await real.storage(),
      toHiveSlug(hive),
      "de",
      { customCode: on ? toLocale("de=de_DE").customCode : null },
      byCommand,
    );
    await (there ? changed : changed.catch(() => {}));
  }),
);

const fileRemoval = fc.tuple(target, fc.constantFrom("a.php", "en.json")).map(([hive, name]) =>
  command(`remove file ${hive} ${name}`, async (m, real) => {
    m.hives.get(hive)?.files.delete(name);
    for (const by of m.hives.get(hive)?.translations.values() ?? []) by.delete(name);
    const there = m.hives.get(hive);
    if (there !== undefined) dropLostNotes(there);
    await unlessMissing(removeFile(await real.storage(), toHiveBranch(hive), name, byCommand));
  }),
);

const plurals = fc.tuple(slug, fc.constantFrom(...pluralModes)).map(([hive, mode]) =>
  command(`plurals ${hive} ${mode}`, async (m, real) => {
    for (const one of branching.withBranches(m, hive)) one.plurals = mode;
    await unlessMissing(updateHive(await real.storage(), toHiveSlug(hive), { plurals: mode }, byCommand));
  }),
);

const quota = fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }).map((max) =>
  command(`quota ${max}`, async (m, real) => {
    m.maxStrings = max;
    await updateTeam(await real.storage(), toTeamName("acme"), { maxStrings: max ?? null });
  }),
);

const hives = slug.map((hive) =>
  command(`make or delete ${hive}`, async (m, real) => {
    const storage = await real.storage();
    if (m.hives.delete(hive)) {
      for (const branches of [m.hives, m.deleted]) branches.delete(`${hive}@${branch}`);
      await deleteHive(storage, toHiveSlug(hive));
    } else {
      m.hives.set(hive, model.newHive(initialLocales));
      await makeHive(storage, hive, { locales: initialLocales });
    }
  }),
);

const branches = fc.constantFrom("create", "delete", "restore").map((what) =>
  command(`${what} a branch of web`, async (m, real) => {
    const path = `web/branches/${branch}`;
    if (what === "create") {
      const reply = await real.call("POST", "web/branches", { name: branch });
      expectSame(reply, branching.createBranch(m, "web", branch));
    } else if (what === "delete") {
      expectSame(await real.call("DELETE", path), branching.deleteBranch(m, "web", branch));
    } else expectSame(await real.call("POST", `${path}/restore`), branching.restoreBranch(m, "web", branch));
  }),
);

/** A request by each of both sides, so that there is something to merge. */
const edit = fc.record({
  hive: fc.constantFrom("web", `web@${branch}`),
  content: fc.oneof(files, pluralFiles),
  mode: fc.constantFrom("import" as const, "sync" as const),
  code: locale,
  texts: fc.oneof(files, sentForms),
  move: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ pick: fc.nat({ max: 20 }), to: place }) },
  ),
});

const seldom = fc.nat({ max: 7 }).map((n) => n === 0);

const merge = fc
  .record({
    into: fc.constantFrom("main" as const, "branch" as const),
    onConflict: fc.constantFrom("fail" as const, "main" as const, "branch" as const),
    edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
    isDeleted: seldom,
    maxDeletions: seldom.map((isNone) => (isNone ? 0 : undefined)),
    namesHead: fc.boolean(),
    undoes: fc.boolean(),
    /** Without a branch most merges would merge nothing. */
    makes: seldom.map((isNot) => !isNot),
  })
  .map(({ into, onConflict, edits, isDeleted, maxDeletions, namesHead, undoes, makes }) => {
    const told = [into, onConflict, isDeleted, maxDeletions, JSON.stringify(edits)].join(" ");
    return command(`merge into ${told}`, async (m, real) => {
      await fill(m, real, "web");
      if (makes && m.hives.has("web") && !m.hives.has(`web@${branch}`)) {
        const made = await real.call("POST", "web/branches", { name: branch });
        expectSame(made, branching.createBranch(m, "web", branch));
      }
      for (const { hive, move: moved, ...one } of edits) {
        if (moved === null) await change(m, real, hive, one);
        else {
          const moves = [{ from: stringAt(m, hive, moved.pick), to: moved.to }];
          const reply = await real.call("POST", `${hive}/keys/move`, { moves });
          expectSame(reply, model.moveStrings(m, hive, moves));
        }
        const there = m.hives.get(hive);
        if (there !== undefined) past.record(there, await real.head(hive));
      }
      const path = `web/branches/${branch}/${into === "main" ? "merge" : "update"}`;
      const body = { on_conflict: onConflict, ...(into === "main" ? { delete: isDeleted } : {}) };
      const query = maxDeletions === undefined ? "" : `&max_deletions=${maxDeletions}`;
      const hadBranch = m.hives.has(`web@${branch}`);
      const expected = branching.merge(m, "web", branch, { into, onConflict, maxDeletions });
      if (expected === undefined) {
        const before = await real.head("web");
        const { status } = await real.call("POST", `${path}?dry_run=true${query}`, body);
        expect([200, 409, 422]).toContain(status);
        return expect(await real.head("web")).toBe(before);
      }
      const place = into === "main" || !hadBranch ? "web" : `web@${branch}`;
      const sent = { place, query, namesHead: hadBranch && namesHead };
      const { status, json } = await guarded(real, "POST", path, body, sent);
      if (status === 409) {
        return expectSame({ status, json: namesOf(json.conflicts) }, expected);
      }
      const { merged, undone_by: undoneBy, branch_deleted: deleted, ...counts } = json;
      expectSame({ status, json: counts }, expected);
      if (status !== 200) return;
      if (undoneBy === undefined) expect(merged).toBe(expected.merged);
      expect(deleted).toBe(into === "main" && isDeleted ? true : undefined);
      if (deleted === true) branching.deleteBranch(m, "web", branch);
      const there = m.hives.get(place);
      if (!undoes || there === undefined) return;
      past.record(there, await real.head(place));
      await takeBack(m, real, place, 0, false);
    });
  });

const restart = fc.constant(command("restart", async (_, real) => real.restart()));

/** A commit by somebody with git: an orphan translation, another formatting, a file of no concern to Skep. */
const outside = fc.tuple(slug, fc.constantFrom("orphan", "format", "other")).map(([hive, what]) =>
  command(`outside ${hive} ${what}`, async (m, real) => {
    if (!m.hives.has(hive) || real.disk === undefined) return;
    const storage = await real.storage();
    const snapshot = await storage.hives.at(toHiveSlug(hive)).snapshot();
    const repo = new BareRepo(new DurableFs(real.disk), storage.hives.folderOf(toHiveSlug(hive)));
    const [first] = (await snapshot.content([])).source;
    const content: [string, string] =
      what === "orphan"
        ? ["locales/de/orphan.php.json", '{"o": "?", "e": ""}']
        : what === "format" && first !== undefined
          ? [`locales/en/${first[0]}.json`, JSON.stringify(first[1].group)]
          : ["notes.txt", String(Math.random())];
    const blob = toGitObject("blob", content[1]);
    const { tree, objects } = changeTree(snapshot.tree, new Map([[content[0], blob.oid]]));
    const author = { name: "Somebody", email: "somebody@example.org" };
    const commit = toCommit({
      tree: tree.oid,
      parents: [snapshot.commit.oid],
      author,
      committer: author,
      time: 1,
      message: "By hand\n",
    });
    await repo.writeObjects([blob, ...objects, commit]);
    await repo.main.update({ expected: snapshot.commit.oid, next: commit.oid, prepare: async () => {} });
  }),
);

const sound = fc.constant(
  command("verify", async (_, real) => {
    const problems: string[] = [];
    for await (const { problem } of verify(await real.storage(), { repair: false })) problems.push(problem);
    const unexpected = problems.filter(
      (problem) =>
        !/orphan\.php\.json holds . texts? without a source string|is not a locale of|^the team acme holds/.test(
          problem,
        ),
    );
    expect(unexpected).toEqual([]);
  }),
);

const all = [
  write,
  write,
  move,
  movingSync,
  translate,
  translate,
  stale,
  untranslated,
  confirm,
  note,
  note,
  notes,
  undo,
  undo,
  list,
  exportLocale,
  tag,
  exportAt,
  historyAddsUp,
  locales,
  customCode,
  fileRemoval,
  plurals,
  quota,
  hives,
  branches,
  branches,
  merge,
  merge,
  merge,
  restart,
  sound,
];

/**
 * Compares the real thing with the model in random sequences.
 * @param make makes what each sequence begins with.
 */
export async function expectAnswersOfModel(make: () => Promise<Processes>, numRuns: number): Promise<void> {
  const commands = fc.commands([...all, outside], { maxCommands: 30 });
  await fc.assert(
    fc.asyncProperty(commands, fc.infiniteStream(fc.nat({ max: 7 })), async (sequence, picks) => {
      const processes = await make();
      try {
        const real = new Real(processes, () => picks.next().value ?? 0);
        await real.start();
        const m = model.newModel();
        for (const name of slugs) {
          const hive = model.newHive(initialLocales);
          past.record(hive, await real.head(name));
          m.hives.set(name, hive);
        }
        await fc.asyncModelRun(() => ({ model: m, real }), sequence);
        await real.end();
      } finally {
        await processes.close?.();
      }
    }),
    { numRuns },
  );
}
