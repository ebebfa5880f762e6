/**
 * Random changes of every kind to the Hive `web`, and some to a Hive `app`, over HTTP. What a write refuses changes nothing,
 * and that is fine.
 */
import fc from "fast-check";
import { expect } from "vitest";
import { png } from "../../domain/pictures/images.ts";
import type { Call, CallOptions } from "../storage.ts";

export const hive = "/api/hives/web";
export const [file, other] = ["app.json", "b.php"];
export const keys = ["a", "b", "n.c", "p_one", "p_other"];
export const sources = ["Home", "Delete {name}", "Delete the file", "{{count}} files", "Sign out", ""];
const translations = ["Accueil", "Supprimer {name}", "Supprimer", "{{count}} fichiers", "Page d'accueil"];

/** Numbers that choose what a write writes, and whether it writes to the branch. */
interface Picks {
  readonly key: number;
  readonly text: number;
  readonly branch: boolean;
  readonly more: number;
}

export function pick<T>(list: readonly T[], at: number): T {
  const found = list[at % list.length];
  if (found === undefined) throw new Error("nothing to choose from");
  return found;
}

export const at = (path: string, branch: boolean): string =>
  `${hive}${path}${branch ? `${path.includes("?") ? "&" : "?"}branch=next` : ""}`;
const addressOf = ({ key, more }: Picks) => ({ file: more % 4 === 0 ? other : file, key: pick(keys, key) });
const ofKey = (picks: Picks) => {
  const { file: name, key } = addressOf(picks);
  return { locale: "fr", file: name, keys: [key] };
};

/** What writes are made in, besides a server. */
export interface Surroundings {
  /** The token of a writer whose texts wait for a review. */
  readonly reviewed: string;
  /** Revokes that token, and makes another. */
  readonly replaceReviewed: () => Promise<void>;
  /** Makes a file of a repository unreadable by a commit of git, or removes it where it is. */
  readonly breakOrRemove: (slug: string, path: string) => Promise<void>;
  /** Drops a Hive from the memory of the server. */
  readonly evict: (slug: string) => void;
}

type Request = readonly [method: string, path: string, body?: unknown, options?: CallOptions];
type Write = (
  picks: Picks,
  world: Surroundings,
  call: Call,
) => Request | readonly Request[] | Promise<readonly Request[]>;

export const byModel = { "x-commit-origin": "model" };

/** Changes of every kind. What a write refuses changes nothing, and that is fine. */
const writes: Readonly<Record<string, Write>> = {
  import: (picks) => {
    const { file: name, key } = addressOf(picks);
    const notes = picks.more % 3 === 0 ? { notes: { [name]: { [key]: { note: "Said by the app" } } } } : {};
    const body = { files: { [name]: { [key]: pick(sources, picks.text) } }, ...notes };
    return ["POST", at("/strings", picks.branch), body];
  },
  sync: ({ key, text, branch, more }) => {
    const texts = keys.flatMap((own, i) => (more & (1 << i) ? [[own, pick(sources, text + i)]] : []));
    const query = key % 2 === 0 ? "?detect_moves=true" : "";
    return ["PUT", at(`/strings${query}`, branch), { files: { [file]: Object.fromEntries(texts) } }];
  },
  translate: (picks, { reviewed }) => {
    const { file: name, key } = addressOf(picks);
    const { text, branch, more } = picks;
    const body = { files: { [name]: { [key]: pick(translations, text) } }, overwrite_strategy: "overwrite" };
    const token = more % 3 === 0 ? { token: reviewed } : {};
    const path = at(`/translations/${more % 5 === 0 ? "de" : "fr"}`, branch);
    return ["POST", path, body, { headers: more % 2 === 0 ? byModel : {}, ...token }];
  },
  replace: ({ key, text, branch, more }, { reviewed }) => {
    const finds = ["supprimer", "a", "fichiers", "{", "page d'"];
    const body = { find: pick(finds, key), replace: pick(["effacer", "", "b", "{x}"], text) };
    const token = more % 3 === 0 ? { token: reviewed } : {};
    return ["POST", at("/replace", branch), { ...body, whole_word: more % 2 === 0 }, token];
  },
  "remove translations": (picks) => {
    const { file: name, key } = addressOf(picks);
    return ["DELETE", at("/translations/fr", picks.branch), { files: { [name]: [key] } }];
  },
  move: (picks) => {
    const moves = [{ from: addressOf(picks), to: { file, key: pick([...keys, "new"], picks.text) } }];
    return ["POST", at("/keys/move", picks.branch), { moves }];
  },
  undo: async ({ key, branch }, _, call) => {
    const { json } = await call("GET", at("/history", branch));
    const { commit } = pick<{ commit: string }>(json.data ?? [{ commit: "" }], key);
    return [["POST", at("/undo", branch), { commit, on_conflict: "skip" }]];
  },
  "undo an origin": ({ branch }) => ["POST", at("/undo", branch), { origin: "model", since: "2000-01-01" }],
  approve: (picks) => ["POST", at("/review/approve", picks.branch), ofKey(picks)],
  reject: (picks) => ["POST", at("/review/reject", picks.branch), { ...ofKey(picks), reason: "No" }],
  confirm: (picks) => ["POST", at("/stale/confirm", picks.branch), ofKey(picks)],
  note: (picks) => {
    const { file: name, key } = addressOf(picks);
    const notes = [{ tags: ["shop"] }, { max_length: 5 }, { keep: true }, { ask: "Which?" }, { tags: null }];
    return ["PATCH", at("/notes", picks.branch), { files: { [name]: { [key]: pick(notes, picks.text) } } }];
  },
  comment: async (picks, _, call) => {
    const { json } = await call("GET", at("/comments", picks.branch));
    const { id } = pick<{ id: string }>([...(json.data ?? []), { id: "none" }], picks.key);
    const path = at(`/comments/${id}`, picks.branch);
    const { file: name, key } = addressOf(picks);
    const said = { file: name, key, text: "Which?", ask: picks.more % 3 > 0 };
    const requests: readonly Request[] = [
      ["POST", at("/comments", picks.branch), said],
      ["POST", at("/comments", picks.branch), { ...said, locale: "fr" }],
      ["PATCH", path, { text: "Changed" }],
      ["PATCH", path, { settled: picks.more % 2 === 0 }],
      ["DELETE", path],
    ];
    return [pick(requests, picks.text)];
  },
  accept: (picks) => {
    const check = pick(["argument-missing", "argument-extra", "term-missing"], picks.text);
    const method = picks.more % 3 === 0 ? "DELETE" : "POST";
    return [method, at("/checks/accept", picks.branch), { locale: "fr", ...addressOf(picks), check }];
  },
  picture: async ({ key, text, branch, more }, _, call) => {
    if (more % 4 === 0) {
      const { json } = await call("GET", at("/pictures", branch));
      const { hash } = pick<{ hash: string }>([...(json.data ?? []), { hash: "0".repeat(64) }], key);
      return [["DELETE", at(`/pictures/${hash}`, branch)]];
    }
    const string = `${file}:${pick(keys, key)}`;
    const body = {
      name: "a.png",
      content: png(2, 1 + (text % 2)).toString("base64"),
      strings: [more % 3 === 0 ? `${file}:*` : string],
      boxes: [{ string, x: 0, y: 0, width: 1, height: 1 }],
    };
    return [["POST", at("/pictures", branch), body]];
  },
  terms: ({ key, text, branch, more }) => {
    const source = pick(["home", "file", "sign out"], key);
    const term = { source, translations: { fr: { text: pick(["accueil", "fichier"], text) } } };
    return ["PUT", `/api/hives/${branch ? "app" : "web"}/glossary`, { terms: more % 3 === 0 ? [] : [term] }];
  },
  style: ({ text }) => ["PUT", `${hive}/style/fr`, { text: pick(["", "Vous", "Tu"], text) }],
  settings: ({ key, text }) => {
    const settings = [
      { plurals: pick(["auto", "none", "i18next"], key) },
      { checks: { level: pick(["off", "warn"], key) } },
      { checks: { syntax: [{ files: "*.json", syntax: pick(["i18next", "icu", "laravel"], key) }] } },
      { glossary: key % 2 === 0 ? "app" : null },
      { name: `Name ${key}` },
    ];
    return ["PATCH", hive, pick<object>(settings, text)];
  },
  locale: ({ key, text, more }) => {
    const code = pick(["de", "es", "fr"], key);
    const changes = [
      { custom_code: "x" },
      { custom_code: null },
      { review: "all" },
      { review: null },
      { inherits: "fr" },
      { inherits: "de" },
      { inherits: null },
    ];
    if (more % 3 === 0) return ["POST", `${hive}/locales`, { code: "es" }];
    if (more % 3 === 1 && code !== "fr") return ["DELETE", `${hive}/locales/${code}`];
    return ["PATCH", `${hive}/locales/${code}`, pick<object>(changes, text)];
  },
  branch: ({ more }) =>
    pick<Request>(
      [
        ["DELETE", `${hive}/branches/next`],
        ["POST", `${hive}/branches/next/restore`],
        ["POST", `${hive}/branches`, { name: "next" }],
      ],
      more,
    ),
  merge: ({ branch, text }) => {
    // It is about no conflict in most cases, and refused then.
    const resolution = { locale: "fr", file: "app.json", key: "home", text: "Own" };
    const body = {
      on_conflict: pick(["main", "branch"], text),
      ...(text % 4 === 3 && { resolutions: [resolution] }),
    };
    return ["POST", `${hive}/branches/next/${branch ? "merge" : "update"}`, body];
  },
  tag: ({ text }) => ["POST", `${hive}/tags`, { name: pick(["v1", "v2", "next-1"], text) }],
  answer: async ({ key: choice, text, branch, more }, _, call) => {
    const locale = more % 4 === 0 ? "de" : "fr";
    const want = ["missing", "stale", "failing", "review"];
    const body = { locale, want, max_items: 1, memory: 0 };
    const { json, status } = await call("POST", at("/work", branch), { body });
    if (status !== 200 || json.items.length === 0) return [];
    const [{ file: name, key, forms, expected }] = json.items;
    const texts = forms.map(({ form }: { form: string }) => [form, pick(translations, text)]);
    const answers = [
      { forms: Object.fromEntries(texts) },
      { skip: "Later" },
      { ask: "What?" },
      { approve: true },
    ];
    const item = { file: name, key, expected, ...pick<object>(answers, choice) };
    return [
      ["POST", at("/work/done", branch), { locale, items: [item] }],
      ["DELETE", at(`/work/${json.claim}`, branch)],
    ];
  },
  "another Hive": ({ key, text, more }) => [
    ["POST", "/api/hives/app/strings", { files: { "x.json": { [pick(keys, key)]: pick(sources, text) } } }],
    [
      "POST",
      "/api/hives/app/translations/fr",
      { files: { "x.json": { [pick(keys, key)]: pick(translations, more) } } },
    ],
  ],
  "remove a file": (picks) => ["DELETE", at(`/files?file=${addressOf(picks).file}`, picks.branch)],
  "revoke the writer": async (_, { replaceReviewed }) => {
    await replaceReviewed();
    return [];
  },
  "break or remove a file": async ({ key, branch }, { breakOrRemove }) => {
    const files = ["glossary.json", "locales/fr/app.json.json", "locales/en/b.php.json", "style/fr.md"];
    const beside = ["notes", "stale/fr", "review/fr", "accepted/fr"].map((name) => `${name}/app.json.json`);
    const picture = `pictures/${"0".repeat(64)}.json`;
    await breakOrRemove(branch ? "app" : "web", pick([...files, ...beside, picture], key));
    return [];
  },
  evict: async ({ branch }, { evict }) => {
    evict(branch ? "app" : "web");
    return [];
  },
};

function isRequest(made: Request | readonly Request[]): made is Request {
  return typeof made[0] === "string";
}

/** A random write. */
export const step = fc.record({
  op: fc.constantFrom(...Object.keys(writes)),
  picks: fc.record({ key: fc.nat(9), text: fc.nat(9), branch: fc.boolean(), more: fc.nat(31) }),
});

/** @param call a server. */
export async function write(
  surroundings: Surroundings,
  call: Call,
  { op, picks }: { readonly op: string; readonly picks: Picks },
): Promise<void> {
  const made = (await writes[op]?.(picks, surroundings, call)) ?? [];
  for (const [method, path, body, options] of isRequest(made) ? [made] : made) {
    const { status, text } = await call(method, path, {
      ...options,
      ...(body === undefined ? {} : { body }),
    });
    // Content that cannot be read is a 503.
    expect([status < 500 || status === 503, text]).toEqual([true, text]);
  }
}
