/** Storages on disks that fail or lose their power: one to begin with, each kind of write, and what is there afterwards. */
import type { Notes } from "../../src/domain/notes/note.ts";
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { toBranchName } from "../../src/domain/commits/branch-name.ts";
import { failure, isFailure } from "../../src/domain/errors.ts";
import { toMirrorUrl } from "../../src/domain/hives/mirror-url.ts";
import { toHiveSlug, toTeamName, type HiveSlug, type Oid } from "../../src/domain/names.ts";
import { deleteHive } from "../../src/service/admin/hives.ts";
import { addMirror, removeMirror } from "../../src/service/admin/mirrors.ts";
import { listTrash, restoreHive } from "../../src/service/admin/trash.ts";
import { openStorage, type Storage } from "../../src/service/storage.ts";
import { createTeam, updateTeam } from "../../src/service/admin/teams.ts";
import { createToken, listTokens, revokeToken } from "./people/tokens.ts";
import type { Snapshot } from "../../src/store/content/snapshot.ts";
import { BareRepo } from "../../src/git/bare-repo.ts";
import { DurableFs } from "../../src/disk/durable-fs.ts";
import { filesOf, type Tree } from "../../src/git/objects/tree.ts";
import { CrashDisk, DiskMemo } from "./crash-disk.ts";
import { makePush, pusherOn, type NewCommit } from "./git/made-pushes.ts";
import { modelOfUnpack } from "./git/unpack-model.ts";
import { png } from "../domain/pictures/images.ts";
import { harness, makeHive, makeToken, type Call } from "./storage.ts";

export const web = toHiveSlug("web");
export const acme = toTeamName("acme");
let mounts = 0;

/** What something made, which is made once. */
function onceOnly<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** Opens the storage on a disk as a process of its own would. */
export function open(disk: CrashDisk): Storage {
  mounts++;
  return openStorage({ disk, folder: `/mount-${mounts}/storage`, git: { unpack: modelOfUnpack(disk) } });
}

/** Where mirrors are. */
const remote = "https://example.org";

interface Prepared {
  readonly disk: CrashDisk;
  readonly token: string;
  /** The commit that made one translation stale. */
  readonly changed: Oid;
  /** The commit that removed a file, of whose strings there were values of every kind. */
  readonly removed: string;
  /** The commit that changed terms. */
  readonly terms: string;
}

const kept = "feature/kept";
const onKept = "?branch=feature%2Fkept";

/** Files of whose strings there are values of every kind: of three, one is removed, and one is pushed with another name. */
const valued = ["values.php", "gone.php", "more.php"];

/** Changes values of `values.php` of every kind. */
async function changeValues(send: Send, query: string): Promise<void> {
  const at = { locale: "fr", file: "values.php" };
  await send("POST", `/stale/confirm${query}`, { ...at, keys: ["old"] });
  await send("POST", `/review/approve${query}`, { ...at, keys: ["waits"] });
  await send("DELETE", `/checks/accept${query}`, { ...at, key: "wrong", check: "argument-extra" });
  await send("PATCH", `/notes${query}`, { files: { [at.file]: { old: { tags: ["wine"] } } } });
  const picture = { name: "values.php.png", content: png(3, 1).toString("base64"), strings: ["a.php:a"] };
  await send("POST", `/pictures${query}`, picture);
}

type Send = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<string>;

/** A team, a Hive with some content and a token. */
async function makePrepared(): Promise<Prepared> {
  const disk = new CrashDisk();
  const storage = open(disk);
  await makeHive(storage, "web", { locales: ["fr", "de"] });
  const token = await makeToken(storage, { abilities: ["read", "write", "approve"] });
  const { call } = harness(storage, token);
  /** @returns the commit. */
  const send: Send = async (method, path, body, headers = {}) => {
    const reply = await call(method, `/api/hives/web${path}`, { body, headers });
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply.headers.get("x-skep-commit") ?? "";
  };
  const inValued = <T>(make: (file: string, i: number) => T): Record<string, T> =>
    Object.fromEntries(valued.map((file, i) => [file, make(file, i)]));
  const files = { "a.php": { a: "A", n: { b: "B" } }, "dir/b.json": { c: "C" } };
  // A finding is accepted for its texts, wherever they are, so that each file has its own.
  const texts = inValued((_, i) => ({ old: "Old", waits: "Waits", wrong: `Wrong ${i}` }));
  await send("POST", "/strings", { files: { ...files, ...texts } });
  const translated = inValued(() => ({ old: "Vieux", waits: "Attend", wrong: "Faux :x" }));
  await send("POST", "/translations/fr", { files: { "a.php": { a: "AA", "n.b": "B :b" }, ...translated } });
  const byModel = { "dir/b.json": { c: "Waiting" }, ...inValued(() => ({ waits: "Patiente" })) };
  const overwriting = { files: byModel, overwrite_strategy: "overwrite" };
  await send("POST", "/translations/fr", overwriting, { "x-commit-origin": "model" });
  await send("POST", "/strings", { files: inValued(() => ({ old: "Older" })) });
  const notes = inValued(() => ({ old: { note: "Of wine" } }));
  await send("PATCH", "/notes", { files: { "a.php": { a: { note: "A verb" } }, ...notes } });
  for (const [i, file] of valued.entries()) {
    await send("POST", "/checks/accept", { locale: "fr", file, key: "wrong", check: "argument-extra" });
    const string = `${file}:old`;
    await send("POST", "/pictures", {
      name: `${file}.png`,
      content: png(3, i + 1).toString("base64"),
      strings: [`${file}:*`, string],
      boxes: [{ string, x: 0, y: 0, width: 1, height: 1 }],
    });
  }
  const removed = await send("PUT", "/strings", { files: { "gone.php": {} } });
  const wine = { source: "wine", translations: { fr: { text: "vin" } } };
  const terms = await send("PUT", "/glossary", { terms: [wine] });
  await send("PUT", "/style/de", { text: "Sie." });
  await send("POST", "/tags", { name: "v1" });
  await addMirror(storage, web, toMirrorUrl(`${remote}/a.git`));
  for (const name of [kept, "feature/gone"]) {
    await send("POST", "/branches", { name });
    await send("POST", `/strings?branch=${name}`, { files: { "a.php": { [name]: "X" } } });
  }
  await changeValues(send, onKept);
  await send("DELETE", "/branches/feature%2Fgone");
  await send("POST", "/strings", { files: { "a.php": { a: "A1" } } });
  await makeHive(storage, "old", { locales: ["fr"] });
  await call("POST", "/api/hives/old/strings", { body: { files } });
  await deleteHive(storage, toHiveSlug("old"));
  // Whoever reads the content first writes the cache.
  await (await open(disk).hives.at(web).snapshot()).content("all");
  const { commit } = await storage.hives.at(web).snapshot();
  return { disk, token, changed: commit.oid, removed, terms };
}

const prepared = onceOnly(makePrepared);

/** The same on a disk of its own; it is made once. */
export async function prepare(): Promise<Prepared> {
  const { disk, ...rest } = await prepared();
  return { disk: disk.copy(), ...rest };
}

/** The kinds of values beside the texts. */
export const kinds = ["stale", "accepted", "review", "notes", "pictures", "glossary", "styles"] as const;
export type Kind = (typeof kinds)[number];
type Values = Readonly<Record<Kind, unknown>>;

interface BranchState {
  readonly name: string;
  readonly strings: unknown;
  readonly values: Values;
  /** How many commits its line has. */
  readonly length: number;
}

interface HiveState {
  readonly slug: HiveSlug;
  readonly branches: readonly BranchState[];
  readonly values: Values;
  readonly others: readonly unknown[];
}

interface State {
  readonly hives: readonly HiveState[];
  readonly others: unknown;
}

const states = new DiskMemo<State>();

/** What is in a storage: everything a caller could ask for, and every object that a HEAD reaches, whole. */
export function stateOf(disk: CrashDisk): Promise<State> {
  return states.of(disk, readState);
}

/** The kinds of which a value differs, on main or on a branch. */
export function changedKinds(before: State, after: State): readonly Kind[] {
  const values = ({ hives }: State, kind: Kind): unknown =>
    hives.map((hive) => [hive, ...hive.branches].map((one) => one.values[kind]));
  return kinds.filter((kind) => !isDeepStrictEqual(values(before, kind), values(after, kind)));
}

async function valuesOf(snapshot: Snapshot): Promise<Values> {
  const { settings, glossary } = snapshot;
  const codes = settings.targetLocales.map(({ code }) => code);
  const pictures = [...(await snapshot.pictures.read()).values()];
  return {
    stale: await snapshot.values.stale.read(codes),
    accepted: await snapshot.values.accepted.read(codes),
    review: await snapshot.values.review.read(codes),
    notes: withoutIds(await snapshot.values.notes.files()),
    pictures: await Promise.all(
      pictures.map(async (one) => [one, Buffer.from(await snapshot.pictures.image(one)).toString("hex")]),
    ),
    // A term that is added again has another id.
    glossary: (await glossary.terms()).map(({ id: _id, ...term }) => term),
    styles: await Promise.all(codes.map((code) => glossary.style(code))),
  };
}

/** Notes whose comments have no ids and times: a comment that is made again has others. */
function withoutIds(notes: Notes): Notes {
  return new Map(
    Array.from(notes, ([file, keys]) => [
      file,
      new Map(
        Array.from(keys, ([key, note]) => [
          key,
          { ...note, thread: note.thread?.map((one) => ({ ...one, id: "", at: "" })) },
        ]),
      ),
    ]),
  );
}

async function readState(disk: CrashDisk): Promise<State> {
  const storage = open(disk);
  const teams = await storage.registry.teams();
  const tokens = await listTokens(storage);
  const hives = await Promise.all(
    teams
      .flatMap((team) => team.hives)
      .map(async (slug) => {
        const snapshot = await storage.hives.at(slug).snapshot();
        const history = new WholeHistory(disk, slug);
        await history.read(snapshot.commit.oid);
        const { source, translations } = await snapshot.content("all");
        const revisions = storage.hives.at(slug).revisions;
        const tags = await Promise.all(
          [...(await revisions.listTags())].map(([name, oid]) => revisions.readTag(name, oid)),
        );
        const { branches, deleted } = await branchesOf(storage, history, slug);
        const others = [
          storage.mirrors.lists.read(slug).map(({ url }) => url),
          deleted,
          // A tag that is there leads to a commit that is whole.
          tags.map((tag) => [tag?.name, tag?.commit, tag?.written?.message]),
          snapshot.settings,
          Array.from(source, ([name, { group }]) => [name, JSON.stringify(group)]),
          Array.from(translations, ([code, files]) => [
            code,
            Array.from(files, ([name, texts]) => [name, [...texts]]),
          ]),
        ];
        return { slug, branches, values: await valuesOf(snapshot), others };
      }),
  );
  // What a creation left that was cut off was nobody's. A move that was cut off may leave a repository in both places,
  // and so in the trash twice, or beside the restored one: that is a copy too many, not one too few.
  const listed = new Set(teams.flatMap((team) => team.hives));
  const trash = (await listTrash(storage)).filter(
    ({ team, slug }) => team !== undefined && !listed.has(slug),
  );
  const others = {
    teams,
    trash: new Set(trash.map(({ slug, team }) => `${slug} of ${team}`)),
    tokens: tokens
      .map(({ id: _id, hash: _hash, created: _created, ...token }) => JSON.stringify(token))
      .toSorted(),
  };
  return { hives, others };
}

/** Each branch, and the names of deleted ones: a cut off deletion may leave a copy too many. */
async function branchesOf(
  storage: Storage,
  history: WholeHistory,
  slug: HiveSlug,
): Promise<{ readonly branches: readonly BranchState[]; readonly deleted: ReadonlySet<string> }> {
  const branches = storage.hives.at(slug).branches;
  const found: BranchState[] = [];
  const live = await branches.list();
  for (const branch of [...live.keys()].toSorted()) {
    const snapshot = await storage.hives.at({ slug, branch }).snapshot();
    const { oid } = snapshot.commit;
    await history.read(oid);
    const strings = Array.from(snapshot.index.source, ([name, { group }]) => [name, JSON.stringify(group)]);
    const length = history.lineLength(oid);
    found.push({ name: branch, strings, values: await valuesOf(snapshot), length });
  }
  const deleted = (await branches.deleted()).filter(({ name }) => !live.has(name));
  return { branches: found, deleted: new Set(deleted.map(({ name }) => name)) };
}

/** The commits of a Hive, of which every object is read. */
class WholeHistory {
  readonly #repo: BareRepo;
  /** The parents of each commit that was read. */
  readonly #parents = new Map<Oid, readonly Oid[]>();
  readonly #read = new Set<Oid>();
  #tree: Tree | undefined;

  constructor(disk: CrashDisk, slug: HiveSlug) {
    this.#repo = new BareRepo(new DurableFs(disk), `/mount/storage/hives/${slug}.git`);
  }

  /** Reads every object that a commit reaches, each once. @throws Error when one is missing or torn. */
  async read(head: Oid): Promise<void> {
    for (const waiting = [head]; ;) {
      const oid = waiting.pop();
      if (oid === undefined) return;
      if (this.#parents.has(oid)) continue;
      const { parents, tree } = await this.#repo.readCommit(oid);
      this.#parents.set(oid, parents);
      waiting.push(...parents);
      this.#tree = await this.#repo.readTree(tree, this.#tree);
      for (const file of filesOf(this.#tree)) {
        if (!this.#read.has(file.oid)) await this.#repo.readBlob(file.oid, file.path);
        this.#read.add(file.oid);
      }
    }
  }

  /** How many commits lie on the line of first parents of one that was read. */
  lineLength(head: Oid): number {
    const [first] = this.#parents.get(head) ?? [];
    return first === undefined ? 1 : 1 + this.lineLength(first);
  }
}

/** The applications on storages: each process has one. */
const callers = new WeakMap<Storage, Call>();

/** Calls the application on a storage, which is the same each time. */
function callerOn(storage: Storage, token: string): Call {
  const call = callers.get(storage) ?? harness(storage, token).call;
  callers.set(storage, call);
  return call;
}

export interface Write {
  readonly name: string;
  /** Does it; gives the status of the answer, or throws. */
  readonly run: (storage: Storage, token: string) => Promise<number>;
  /** Another write that it begins with, and after which it can end. */
  readonly beginsWith?: Write;
  /** Whether it finds neither a cache nor folders for its objects, and makes them; other writes find both. */
  readonly isFirst?: boolean;
  /** Of how many power cuts one is followed by the same write again: all but in `npm run soak` where it has very many. */
  readonly redoEvery?: number;
}

/** For writes that make their commit by the operations of the import, which is done again after each cut, and for pushes. */
const asImport = 4;

const viaHttp =
  (method: string, path: string, files: unknown) =>
  async (storage: Storage, token: string): Promise<number> =>
    (await callerOn(storage, token)(method, path, { body: { files, conflict_strategy: "clear" } })).status;

/** Makes a tag; one that was made before it was acknowledged is there already. */
const tag =
  (name: string) =>
  async (storage: Storage, token: string): Promise<number> => {
    const call = callerOn(storage, token);
    const { status } = await call("POST", "/api/hives/web/tags", { body: { name } });
    if (status === 409) throw failure("conflict", "there already");
    return status === 201 ? 200 : status;
  };

/** Changes branches; what was done before it was acknowledged cannot be done again. */
const onBranches =
  (method: string, path: string, body?: object) =>
  async (storage: Storage, token: string): Promise<number> => {
    const call = callerOn(storage, token);
    const { status } = await call(
      method,
      `/api/hives/web/branches${path}`,
      body === undefined ? {} : { body },
    );
    if (status === 409) throw failure("conflict", "there already");
    if (status === 404) throw failure("not-found", "done already");
    return status === 201 ? 200 : status;
  };

const viaService =
  (run: (storage: Storage) => Promise<unknown>) =>
  async (storage: Storage): Promise<number> => {
    await run(storage);
    return 200;
  };

/** Merges the branch that is there; one that was deleted with it is not there any more. */
const merging =
  (how: "merge" | "update", body: object) =>
  async (storage: Storage, token: string): Promise<number> => {
    const path = `/api/hives/web/branches/feature%2Fkept/${how}`;
    const { status, json } = await callerOn(storage, token)("POST", path, { body });
    if (status === 404) throw failure("not-found", "done already");
    // The caller is told that only the merge is done.
    return json.branch_deleted === false ? 507 : status;
  };

const pushedRef = `refs/heads/${kept}`;

/** What is pushed to a branch that somebody else has changed since the pusher looked where it is. */
async function makePushed(files: NewCommit["files"]): Promise<Buffer> {
  const { disk } = await prepare();
  const repo = new BareRepo(new DurableFs(disk), "/mount/storage/hives/web.git");
  const { oid, parents } = await repo.readCommit(repo.branches.ref(toBranchName(kept)).read());
  const [parent = oid] = parents;
  return makePush(repo, { ref: pushedRef, parent, before: parent, files });
}

function pushOf(files: NewCommit["files"]): Write["run"] {
  const pushed = onceOnly(() => makePushed(files));
  return async (storage, token) => {
    const answer = await pusherOn(storage, token).send(await pushed());
    const text = await answer.text();
    if (text.includes(`ok ${pushedRef}`)) return 200;
    expect([500, 503, 507], text).toContain(answer.status);
    return answer.status;
  };
}

const json = (texts: object): string => `${JSON.stringify(texts, null, 2)}\n`;

/** Gives the file with values of every kind another name; the second time there is none. */
async function moveFile(storage: Storage, token: string): Promise<number> {
  const body = { moves: [{ from: { file: "values.php" }, to: { file: "dir/moved.php" } }] };
  const { status } = await callerOn(storage, token)("POST", "/api/hives/web/keys/move", { body });
  if (status === 404 || status === 422) throw failure("not-found", "done already");
  return status;
}

const move: Write = { name: "move of a file", redoEvery: asImport, run: moveFile };

/** Undoes a commit; the second time there is nothing left to undo. */
const undoing =
  (commitOf: (prepared: Prepared) => string): Write["run"] =>
  async (storage, token) => {
    const body = { commit: commitOf(await prepared()), on_conflict: "skip" };
    return (await callerOn(storage, token)("POST", "/api/hives/web/undo", { body })).status;
  };

const merge: Write = { name: "merge", redoEvery: asImport, run: merging("merge", {}) };

export const writes: readonly Write[] = [
  {
    name: "import",
    isFirst: true,
    run: viaHttp("POST", "/api/hives/web/strings", { "a.php": { a: "A2", z: "Z" }, "new/c.php": { d: "D" } }),
  },
  {
    name: "sync",
    redoEvery: asImport,
    run: viaHttp("PUT", "/api/hives/web/strings", { "a.php": { n: { b: "B" } }, "dir/b.json": {} }),
  },
  {
    name: "translation import",
    redoEvery: asImport,
    run: viaHttp("POST", "/api/hives/web/translations/de", { "dir/b.json": { c: "CC" } }),
  },
  { name: "tag", run: tag("v2") },
  { name: "tag in a folder", run: tag("release/2026/1") },
  { name: "branch", run: onBranches("POST", "", { name: "feature/new" }) },
  { name: "branch deletion", run: onBranches("DELETE", "/feature%2Fkept") },
  { name: "branch restoration", run: onBranches("POST", "/feature%2Fgone/restore") },
  { name: "branch update", redoEvery: asImport, run: merging("update", {}) },
  merge,
  {
    name: "merge that deletes the branch",
    run: merging("merge", { delete: true }),
    beginsWith: merge,
  },
  {
    name: "merge after a move of a file",
    redoEvery: asImport,
    beginsWith: move,
    run: async (storage, token) => {
      const moved = await moveFile(storage, token).catch((error: unknown) => {
        if (!isFailure(error, "not-found")) throw error;
        return 200;
      });
      return moved === 200 ? merging("merge", {})(storage, token) : moved;
    },
  },
  move,
  {
    name: "push",
    redoEvery: asImport,
    run: pushOf({
      "locales/en/a.php.json": json({ a: "Ä", n: { b: "B" } }),
      "locales/fr/a.php.json": json({ a: "ÄÄ" }),
    }),
  },
  {
    name: "push that moves a file",
    redoEvery: asImport,
    run: pushOf({
      "locales/en/more.php.json": undefined,
      "locales/fr/more.php.json": undefined,
      "locales/en/moved.php.json": json({ old: "Older", waits: "Waits", wrong: "Wrong 2" }),
      "locales/fr/moved.php.json": json({ old: "Vieux", waits: "Patiente", wrong: "Faux :x" }),
    }),
  },
  {
    name: "removal of a file",
    redoEvery: asImport,
    run: viaHttp("PUT", "/api/hives/web/strings", { "values.php": {} }),
  },
  { name: "undo of a removal", redoEvery: asImport, run: undoing(({ removed }) => removed) },
  { name: "undo of terms", redoEvery: asImport, run: undoing(({ terms }) => terms) },
  {
    name: "stale confirmation",
    redoEvery: asImport,
    run: async (storage, token) => {
      const body = { locale: "fr", file: "a.php", keys: ["a"] };
      return (await callerOn(storage, token)("POST", "/api/hives/web/stale/confirm", { body })).status;
    },
  },
  {
    name: "translation that waits for a review",
    redoEvery: asImport,
    run: async (storage, token) => {
      const body = { files: { "a.php": { a: "AM" } }, overwrite_strategy: "overwrite" };
      const headers = { "x-commit-origin": "model" };
      const call = callerOn(storage, token);
      return (await call("POST", "/api/hives/web/translations/fr", { body, headers })).status;
    },
  },
  ...["approve", "reject"].map((decision): Write => ({
    name: `review: ${decision}`,
    redoEvery: asImport,
    run: async (storage, token) => {
      const body = { locale: "fr", file: "dir/b.json", keys: ["c"], reason: "Wrong tone" };
      const sent = decision === "approve" ? { ...body, reason: undefined } : body;
      return (await callerOn(storage, token)("POST", `/api/hives/web/review/${decision}`, { body: sent }))
        .status;
    },
  })),
  {
    name: "acceptance",
    redoEvery: asImport,
    run: async (storage, token) => {
      const body = { locale: "fr", file: "a.php", key: "n.b", check: "argument-extra" };
      return (await callerOn(storage, token)("POST", "/api/hives/web/checks/accept", { body })).status;
    },
  },
  {
    name: "picture",
    redoEvery: asImport,
    run: async (storage, token) => {
      const body = { name: "a.png", content: png(2, 2).toString("base64"), strings: ["a.php:*"] };
      const { status } = await callerOn(storage, token)("POST", "/api/hives/web/pictures", { body });
      return status === 201 ? 200 : status;
    },
  },
  {
    name: "change of notes",
    redoEvery: asImport,
    run: async (storage, token) => {
      const body = {
        files: { "a.php": { a: { note: null, tags: ["x"] } }, "dir/b.json": { c: { ask: "?" } } },
      };
      return (await callerOn(storage, token)("PATCH", "/api/hives/web/notes", { body })).status;
    },
  },
  {
    name: "sync with notes",
    redoEvery: asImport,
    run: async (storage, token) => {
      const body = { files: { "a.php": { n: { b: "B" } } }, notes: { "a.php": { "n.b": { note: "New" } } } };
      return (await callerOn(storage, token)("PUT", "/api/hives/web/strings", { body })).status;
    },
  },
  {
    name: "glossary",
    redoEvery: asImport,
    run: async (storage, token) => {
      const body = { terms: [{ source: "file", translations: { fr: { text: "fichier" } } }] };
      return (await callerOn(storage, token)("PUT", "/api/hives/web/glossary", { body })).status;
    },
  },
  {
    name: "style",
    redoEvery: asImport,
    run: async (storage, token) => {
      const body = { text: "Vous." };
      return (await callerOn(storage, token)("PUT", "/api/hives/web/style/fr", { body })).status;
    },
  },
  {
    name: "undo",
    redoEvery: asImport,
    run: undoing(({ changed }) => changed),
  },
  { name: "mirror", run: viaService((storage) => addMirror(storage, web, toMirrorUrl(`${remote}/b.git`))) },
  {
    name: "mirror removal",
    run: viaService(async (storage) => {
      await removeMirror(storage, web, `${remote}/a.git`).catch((error: unknown) => {
        throw isFailure(error, "not-found") ? failure("conflict", "removed already") : error;
      });
    }),
  },
  // What is left of one that was cut off is removed by the next, wherever that was.
  { name: "Hive creation", redoEvery: asImport, run: viaService((storage) => makeHive(storage, "app")) },
  { name: "Hive deletion", run: viaService((storage) => deleteHive(storage, web)) },
  {
    name: "Hive restoration",
    run: viaService(async (storage) => restoreHive(storage, { text: "old" })),
  },
  { name: "team creation", run: viaService((storage) => createTeam(storage, toTeamName("new"), 5)) },
  { name: "team change", run: viaService((storage) => updateTeam(storage, acme, { maxStrings: 7 })) },
  {
    name: "token creation",
    run: viaService((storage) => createToken(storage, { team: acme, abilities: [], hives: [web] })),
  },
  {
    name: "token revocation",
    run: viaService(async (storage) => {
      const [token] = await listTokens(storage);
      if (token !== undefined) await revokeToken(storage, token.id);
    }),
  },
];

/** Does a write again after a restart: it succeeds, or finds that it was done. Gives what there is afterwards. */
export async function redo(write: Write, disk: CrashDisk, step: string): Promise<unknown> {
  const { token, redone } = await measured(write);
  return redone.of(disk, async (own) => {
    try {
      expect(await write.run(open(own), token), step).toBe(200);
    } catch (error) {
      // A Hive that is deleted is not there to be deleted, and one that is restored not to be restored.
      if (!isFailure(error, "conflict") && !isFailure(error, "not-found")) throw error;
    }
    expect(await hasQuarantine(own), step).toBe(false);
    return write.name.startsWith("token") ? undefined : stateOf(own);
  });
}

/** Whether the Hive has objects of a push that was neither taken nor refused. */
export function hasQuarantine(disk: CrashDisk): Promise<boolean> {
  return new DurableFs(disk).isFolder("/mount/storage/hives/web.git/quarantine");
}

interface Measured {
  readonly token: string;
  readonly base: CrashDisk;
  /** What there may be if the write did not end: what was before it, or after what it begins with. */
  readonly unfinished: readonly State[];
  readonly before: State;
  readonly after: State;
  readonly operations: readonly string[];
  /** What there is when the write is done again. */
  readonly redone: DiskMemo<unknown>;
}

/** A write that meets no trouble: from what to what, by which operations. */
async function measure(write: Write): Promise<Measured> {
  const { disk, token } = await prepare();
  if (write.isFirst === true) await disk.promises.unlink("/mount/storage/hives/web.git/skep-cache");
  else {
    const tried = disk.copy();
    await write.run(open(tried), token);
    const folders = tried.operations.flatMap(
      (operation) => /^mkdir \/[^/]+(\/.*\/web\.git\/objects\/[0-9a-f]{2})$/.exec(operation)?.[1] ?? [],
    );
    for (const folder of folders) await new DurableFs(disk).makeFolder(`/mount${folder}`);
  }
  const base = disk.copy();
  const before = await stateOf(base.copy());
  const written = base.copy();
  await write.run(open(written), token);
  const operations = [...written.operations];
  const after = await stateOf(written);
  expect(after).not.toEqual(before);
  const unfinished = [before];
  if (write.beginsWith !== undefined) unfinished.push((await measured(write.beginsWith)).after);
  return { base, token, unfinished, before, after, operations, redone: new DiskMemo() };
}

const measuring = new Map<Write, Promise<Measured>>();

/** The same, done once for each write. */
export function measured(write: Write): Promise<Measured> {
  const found = measuring.get(write) ?? measure(write);
  measuring.set(write, found);
  return found;
}
