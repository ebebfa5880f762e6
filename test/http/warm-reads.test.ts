/**
 * Reads of a server that has answered them before, against a server that has just been opened on the same storage: no cache
 * answers for more than what it was made from. `npm run soak` runs many more sequences.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { toHiveSlug, toTokenId } from "../../src/domain/names.ts";
import { revokeToken } from "../helpers/people/tokens.ts";
import { setChannel } from "../../src/service/channels/channels.ts";
import { openStorage } from "../../src/service/storage.ts";
import { runs } from "../helpers/runs.ts";
import { byCommand, harness, makeHive, makeToken, setUpWeb, type Call } from "../helpers/storage.ts";
import { at, byModel, file, hive, keys, other, pick, sources, step, write } from "../helpers/model/writes.ts";
import { png } from "../domain/pictures/images.ts";
import { commitOutside } from "../helpers/outside.ts";
import { browse, type ConsoleBrowser } from "./console/browse.ts";

/** Pages tell how long ago something was. */
const now = (): number => Date.UTC(2026, 0, 1);

/** A server, and a browser that shows its pages. */
interface Server {
  readonly call: Call;
  readonly browser: ConsoleBrowser;
}

/** A server with warm caches, and another one on the same storage that writes, too. */
class World {
  readonly #web: Awaited<ReturnType<typeof setUpWeb>>;
  readonly warm: Server;
  readonly elsewhere: Call;
  /** The token of a writer whose texts wait for a review. */
  reviewed = "";
  /** A commit of the beginning. */
  first = "";
  /** The path of published files. */
  published = "";
  readonly #broken = new Set<string>();

  constructor(web: Awaited<ReturnType<typeof setUpWeb>>) {
    this.#web = web;
    this.warm = { call: web.call, browser: browse(web.storage) };
    this.elsewhere = this.fresh().call;
  }

  async start(): Promise<void> {
    const { storage, call, token } = this.#web;
    await this.warm.browser.signIn(token);
    await makeHive(storage, "app", { locales: ["fr"] });
    const channel = { name: "live", branch: "main", state: "approved", failing: "omit" } as const;
    const request = { ...channel, public: true };
    this.published = (await setChannel(storage, toHiveSlug("web"), request, byCommand)).path;
    await this.replaceReviewed();
    const files = {
      [file]: Object.fromEntries(keys.map((key, i) => [key, pick(sources, i)])),
      [other]: { a: "Home", "n.c": "Sign out" },
    };
    await call("PUT", `${hive}/strings`, { body: { files } });
    const texts = { a: "Accueil", b: "Supprimer {nom}", p_one: "{{count}} fichier" };
    const options = { body: { files: { [file]: texts } }, headers: byModel, token: this.reviewed };
    const { headers } = await call("POST", `${hive}/translations/fr`, options);
    this.first = headers.get("x-skep-commit") ?? "";
    await this.#addValues();
    await call("POST", `${hive}/branches`, { body: { name: "next" } });
  }

  /** Adds what stands beside the texts, besides their reviews: a value of every kind. */
  async #addValues(): Promise<void> {
    const string = `${file}:a`;
    const image = png(2, 2).toString("base64");
    const terms = [{ source: "home", translations: { fr: { text: "accueil" } } }];
    for (const [method, path, body] of [
      ["POST", "/checks/accept", { locale: "fr", file, key: "b", check: "argument-missing" }],
      ["POST", "/strings", { files: { [file]: { a: "Home page" } } }],
      ["PATCH", "/notes", { files: { [file]: { a: { note: "Of a site" } } } }],
      ["POST", "/comments", { file, key: "a", text: "Of which site?", ask: true }],
      ["POST", "/pictures", { name: "a.png", content: image, strings: [string, `${other}:*`] }],
      ["PUT", "/glossary", { terms }],
      ["PUT", "/style/fr", { text: "Vous" }],
    ] as const) {
      const { status, text } = await this.#web.call(method, hive + path, { body });
      expect(status, text).toBeLessThan(300);
    }
  }

  /** A server on the same storage that has answered nothing yet, and the same browser. */
  fresh(): Server {
    const { storage, disk, token } = this.#web;
    const again = openStorage({ folder: storage.folder, disk, now });
    const server = { call: harness(again, token).call, browser: browse(again) };
    for (const [name, value] of this.warm.browser.cookies) server.browser.cookies.set(name, value);
    return server;
  }

  readonly replaceReviewed = async (): Promise<void> => {
    const [, id = ""] = this.reviewed.split("_");
    if (id !== "") await revokeToken(this.#web.storage, toTokenId(id));
    const options = { name: "Writer", review: "always", abilities: ["read", "write"] } as const;
    this.reviewed = await makeToken(this.#web.storage, options);
  };

  readonly breakOrRemove = async (slug: string, path: string): Promise<void> => {
    const { storage, disk } = this.#web;
    const isBroken = this.#broken.delete(`${slug} ${path}`);
    if (!isBroken) this.#broken.add(`${slug} ${path}`);
    await commitOutside({ storage, disk, slug }, { files: { [path]: isBroken ? undefined : "{" } });
  };

  readonly evict = (slug: string): void => this.#web.storage.hives.at(toHiveSlug(slug)).evict();
}

/** Reads of every kind; `FIRST` stands for a commit, `&` at the end for a branch. */
const reads: readonly string[] = [
  "/strings?",
  "/strings?include=notes",
  "/strings?tag=shop&per_page=2",
  "/strings?origin=model&locale=fr",
  "/strings?at=FIRST&origin=model&locale=x",
  "/strings?at=v1",
  "/keys?",
  "/export?",
  "/export?locale=fr",
  "/export?locale=x&at=FIRST",
  "/export?locale=fr&state=approved&failing=omit",
  "/export?locale=fr&missing=source&tag=shop",
  "/export?locale=fr&format=php&at=v1",
  "/export?locale=en-XA&tag=shop",
  "/export?pseudo=true",
  "/export?missing=fallback",
  "/export?min_complete=60&state=approved",
  "/export?min_complete=60&at=FIRST",
  "/untranslated?locale=fr",
  "/untranslated?locale=fr&state=missing,stale,kept&include=notes&tag=shop",
  "/untranslated?locale=x&at=FIRST",
  "/stale?",
  "/review?",
  "/checks?",
  "/checks?locale=fr&severity=hint",
  "/checks?at=FIRST",
  "?",
  "/history?",
  "/history?key=a",
  "/history?locale=fr&file=app.json",
  "/history?origin=model",
  "/history/FIRST?",
  "/branches",
  "/branches/next",
  "/branches/next/changes",
  "/tags",
  "/notes?",
  "/notes?at=v1",
  "/comments?",
  "/comments?open=true&locale=fr&by=me",
  "/pictures?",
  "/pictures?at=v1",
  "/pictures?file=app.json&key=a",
  "IMAGE",
  "/glossary",
  "/style/fr",
  "/locales",
  "/search?locale=*&text=e",
  "/search?locale=fr&state=stale",
  "/search?locale=fr&state=failing",
  "/search?locale=fr&state=waiting",
  "/string?file=app.json&key=a",
  "/string?file=app.json&key=p_other",
  "/memory?locale=fr&text=Home",
  "/memory?locale=fr&text=Delete%20the%20file",
  "/work?",
  "HIVES",
  "PUBLISHED/fr.json",
  "PUBLISHED/manifest.json",
  "/hives/web",
  "/hives/web/strings/app.json/a",
  "/hives/web/history",
  "/hives/web/history?key=a",
  "/hives/web/history/FIRST",
  "/hives/web/history/FIRST/undo",
  "/hives/web/compare/FIRST...main",
  "/hives/web/tags",
  "/hives/web/branches",
  "/hives/web/branches/next",
  "/hives/web/glossary",
  "/hives/web/settings",
  "/hives/web/channels",
  "/hives/web/translate/fr",
  "WORK fr",
  "WORK de",
];

/** Writes that are asked for, and not made. */
const dryRuns: Readonly<Record<string, readonly [path: string, body: object]>> = {
  "undo the model": ["/undo", { origin: "model", since: "2000-01-01" }],
  "undo persons": ["/undo", { origin: "person", since: "2000-01-01" }],
  merge: ["/branches/next/merge", { on_conflict: "branch" }],
  update: ["/branches/next/update", { on_conflict: "main" }],
};

interface Read {
  readonly path: string;
  readonly branch: boolean;
}

/** What a server answers to a read. */
async function answer(world: World, { call, browser }: Server, { path, branch }: Read): Promise<unknown> {
  if (path.startsWith("/hives")) {
    const query = branch ? `${path.includes("?") ? "&" : "?"}branch=next` : "";
    const { status, html } = await browser.get(path.replace("FIRST", world.first) + query);
    return [path, branch, status, html];
  }
  if (path.startsWith("WORK")) {
    const want = ["missing", "stale", "failing", "review", "asked"];
    const body = { locale: path.slice(5), want, max_items: 50 };
    const { status, json } = await call("POST", at("/work", branch), { body });
    if (status !== 200) return [path, status, json];
    if (json.claim !== null) await call("DELETE", at(`/work/${json.claim}`, branch));
    return [path, { ...json, claim: null, expires_at: null }];
  }
  if (path === "IMAGE") {
    const { json } = await call("GET", at("/pictures", branch));
    const images = [];
    for (const { hash } of json.data ?? []) {
      const { status, text } = await call("GET", at(`/pictures/${hash}`, branch));
      images.push([hash, status, text]);
    }
    return [path, branch, images];
  }
  const dryRun = dryRuns[path];
  if (dryRun !== undefined) {
    const [url, body] = dryRun;
    const takesBranch = branch && url === "/undo";
    const { status, text } = await call("POST", at(`${url}?dry_run=true`, takesBranch), { body });
    return [path, branch, status, text];
  }
  const named = path
    .replace("FIRST", world.first)
    .replace(/^HIVES/, "/api/hives")
    .replace(/^PUBLISHED\//, world.published);
  const url = /^\/(?:api|p)\//.test(named) ? named : at(named, branch && path.includes("?"));
  const { status, text, headers } = await call("GET", url);
  return [path, branch, status, headers.get("x-skep-commit"), headers.get("cache-control"), text];
}

const read = fc.record({ path: fc.constantFrom(...reads, ...Object.keys(dryRuns)), branch: fc.boolean() });

/** A custom code that becomes another locale's. */
const recoded = [
  { key: 2, text: 0 },
  { key: 2, text: 1 },
  { key: 0, text: 0 },
].map((picks) => ({ op: "locale", picks: { ...picks, branch: false, more: 2 } }));
/** A file of the other Hive that cannot be read, and work whose memory looks there. */
const otherBroken = [{ op: "break or remove a file", picks: { key: 5, text: 0, branch: true, more: 0 } }];
const work = [{ path: "WORK fr", branch: false }];
/** A picture whose hash comes before that of the one that is there, on a page that shows both. */
const earlierPicture = [{ op: "picture", picks: { key: 0, text: 0, branch: true, more: 19 } }];
const withPictures = [{ path: "/hives/web/translate/fr", branch: true }];
const byCustomCode = reads.filter((path) => path.includes("=x")).map((path) => ({ path, branch: false }));
const nameOf = ({ path, branch }: Read): string => `${path} ${branch}`;

const options = {
  locales: ["fr", "de"],
  token: { abilities: ["admin"] },
  storage: { now },
} as const;

it("a read that was answered before is answered as a server would that has just been opened", async () => {
  const someReads = fc.uniqueArray(read, { minLength: 6, maxLength: 12, selector: nameOf });
  const someSteps = fc.array(step, { minLength: 4, maxLength: 16, size: "max" });
  await fc.assert(
    fc.asyncProperty(someReads, someSteps, async (questions, steps) => {
      const world = new World(await setUpWeb(options));
      await world.start();
      for (const one of steps) {
        await write(world, one.picks.more % 8 < 5 ? world.warm.call : world.elsewhere, one);
        const fresh = world.fresh();
        for (const question of questions) {
          const warm = await answer(world, world.warm, question);
          expect(warm).toEqual(await answer(world, fresh, question));
        }
      }
    }),
    {
      numRuns: runs(8),
      examples: [
        [byCustomCode, recoded],
        [work, otherBroken],
        [withPictures, earlierPicture],
      ],
    },
  );
});
