/** What reads of earlier commits find while locales come and go, compared with a plain model. */
import { expect, it } from "vitest";
import { toHiveSlug, type Oid } from "../../../src/domain/names.ts";
import { toBranchName, type HiveBranch } from "../../../src/domain/commits/branch-name.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import { addLocales, changeLocale, removeLocale } from "../../../src/service/admin/locales.ts";
import { compareStates } from "../../../src/service/content/comparison.ts";
import { allLocales, searchHive } from "../../../src/service/content/string-search.ts";
import { seenAs } from "../../../src/domain/work/queue.ts";
import { restoreTranslation, seenText } from "../../../src/service/content/translation-edit.ts";
import { undoOrigin } from "../../../src/service/review/undo-origin.ts";
import { commitOutside } from "../../helpers/outside.ts";
import { numbers, runs, seed } from "../../helpers/runs.ts";
import { byCommand, setUpWeb } from "../../helpers/storage.ts";

type Texts = Record<string, string>;
type Side = "main" | "b";

/** The files of a commit, and the target locales of its settings, with their custom codes. */
interface State {
  source: Texts;
  texts: Record<string, Texts>;
  stale: Record<string, Texts>;
  locales: Record<string, string>;
}

interface Made {
  readonly oid: Oid;
  readonly state: State;
  readonly origin: string;
}

const web = toHiveSlug("web");
const codes = ["fr", "de", "pt-BR"];
const keys = ["k1", "k2", "k3"];

/** The translations of a commit that have a source string. */
function shown({ source, texts }: State, code: string): Texts {
  return Object.fromEntries(Object.entries(texts[code] ?? {}).filter(([key]) => key in source));
}

function differing(before: Texts, after: Texts): readonly string[] {
  return keys.filter((key) => before[key] !== after[key]);
}

class History {
  readonly of: (below: number) => number;
  readonly web: Awaited<ReturnType<typeof setUpWeb>>;
  /** The commits of both branches, the newest last. */
  readonly commits: Record<Side, Made[]> = { main: [], b: [] };

  constructor(of: (below: number) => number, made: Awaited<ReturnType<typeof setUpWeb>>) {
    this.of = of;
    this.web = made;
  }

  one<T>(from: readonly T[]): T {
    const found = from[this.of(from.length)];
    if (found === undefined) throw new Error("nothing to choose from");
    return found;
  }

  branch(side: Side): HiveBranch {
    return side === "main" ? web : { slug: web, branch: toBranchName("b") };
  }

  head(side: Side): State {
    const last = this.commits[side].at(-1);
    if (last === undefined) throw new Error(`${side} has no commit`);
    return structuredClone(last.state);
  }

  /** The codes of the present target locales. */
  get present(): readonly string[] {
    return Object.keys(this.head("main").locales);
  }

  /** A text, of which there are few, so that some come back. */
  text(): string {
    return `text ${this.of(4)}`;
  }

  /** Notes a commit, if there is one; a branch takes over the settings of main unless somebody pushed. */
  note(side: Side, state: State, origin = "", isPushed = false): void {
    const oid = this.web.storage.hives.at(this.branch(side)).head();
    if (this.commits[side].at(-1)?.oid === oid) return;
    const locales = side === "main" || isPushed ? state.locales : this.head("main").locales;
    this.commits[side].push({ oid, state: { ...state, locales }, origin });
  }

  async send(method: string, path: string, side: Side, body: object, origin = ""): Promise<void> {
    const query = side === "main" ? "" : "?branch=b";
    const headers: Record<string, string> = origin === "" ? {} : { "x-commit-origin": origin };
    const url = `/api/hives/web/${path}${query}`;
    const { status, text } = await this.web.call(method, url, { body, headers });
    expect([status, text]).toEqual([200, text]);
  }

  async sync(side: Side): Promise<void> {
    const after = this.head(side);
    const before = after.source;
    // Texts of a removed locale that lose their source string are another matter.
    const isKept = (key: string): boolean =>
      codes.some((code) => !this.present.includes(code) && key in (after.texts[code] ?? {}));
    const left = keys.filter((key) => isKept(key) || this.of(5) > 0);
    after.source = Object.fromEntries(left.map((key) => [key, before[key] ?? key]));
    const changed = this.one(keys);
    if (changed in after.source && this.of(2) > 0) after.source[changed] = this.text();
    for (const code of this.present) {
      const [texts, stale] = [(after.texts[code] ??= {}), (after.stale[code] ??= {})];
      for (const key of keys) {
        if (!(key in before)) continue;
        if (!(key in after.source)) {
          delete texts[key];
          delete stale[key];
        } else if (key in texts) this.mark(after, code, key, stale[key] ?? before[key]);
      }
    }
    await this.send("PUT", "strings", side, { files: { "a.json": after.source } });
    this.note(side, after);
  }

  mark({ source, stale }: State, code: string, key: string, from: string | undefined): void {
    const markers = (stale[code] ??= {});
    if (from === undefined || from === source[key]) delete markers[key];
    else markers[key] = from;
  }

  async translate(side: Side): Promise<void> {
    const [code, after] = [this.one(this.present), this.head(side)];
    const key = this.one(keys);
    if (!(key in after.source)) return;
    const [text, origin] = [this.text(), this.one(["model", "script", ""])];
    if (after.texts[code]?.[key] !== text) this.mark(after, code, key, undefined);
    (after.texts[code] ??= {})[key] = text;
    const files = { "a.json": { [key]: text } };
    await this.send("POST", `translations/${code}`, side, { files, overwrite_strategy: "overwrite" }, origin);
    this.note(side, after, origin);
  }

  /** Writes a locale's file on the branch as a push does, with the settings that the branch had. */
  async push(): Promise<void> {
    const [code, after] = [this.one(this.present), this.head("b")];
    const key = this.one(keys);
    if (!(key in after.source) || key in (after.stale[code] ?? {})) return;
    const texts = { ...after.texts[code], [key]: this.text() };
    after.texts[code] = texts;
    const files = { [`locales/${code}/a.json.json`]: JSON.stringify(texts) };
    const { storage, disk } = this.web;
    await commitOutside({ storage, disk, slug: "web", branch: "b" }, { files });
    this.note("b", after, "", true);
  }

  async changeLocales(): Promise<void> {
    const { storage } = this.web;
    const [code, after] = [this.one(codes), this.head("main")];
    const custom = this.one([`${code}_x`, `${code}_y`, code]);
    if (!(code in after.locales)) {
      await addLocales(storage, web, [toLocale(custom === code ? code : `${code}=${custom}`)], byCommand);
      after.locales[code] = custom;
    } else if (this.of(3) === 0 && custom !== code) {
      const { customCode } = toLocale(`${code}=${custom}`);
      await changeLocale(storage, web, code, { customCode }, byCommand);
      after.locales[code] = custom;
    } else if (this.present.length > 1) {
      await removeLocale(storage, web, code, byCommand);
      for (const one of [after.locales, after.texts, after.stale]) delete one[code];
    }
    this.note("main", after);
  }

  async restore(side: Side, dryRun = false): Promise<void> {
    const [code, key, after] = [this.one(this.present), this.one(keys), this.head(side)];
    const { oid, state: then } = this.one(this.commits[this.one<Side>(["main", side])]);
    const source = after.source[key];
    if (source === undefined) return;
    const [now, text] = [after.texts[code]?.[key], then.texts[code]?.[key]];
    const earlier = { commit: oid, file: "a.json", key };
    const edit = { locale: code, file: "a.json", key, seen: seenAs(seenText(source, now)), earlier };
    const editing = restoreTranslation(this.web.storage, this.branch(side), edit, { ...byCommand, dryRun });
    const result = await editing.catch((error: unknown) => {
      if (!isFailure(error, "invalid")) throw error;
      return undefined;
    });
    expect(result?.result, `restoring ${code} ${key} of ${oid}`).toBe(
      text === undefined ? undefined : text !== now,
    );
    if (text === undefined || dryRun) return;
    (after.texts[code] ??= {})[key] = text;
    if (text !== now) this.mark(after, code, key, undefined);
    this.note(side, after);
  }

  async compare(from: Made, to: Made): Promise<void> {
    const { locales } = this.head("main");
    const had = Object.keys({ ...from.state.locales, ...to.state.locales });
    const expected = [...new Set([...Object.keys(locales), ...had])].flatMap((code) => {
      const [before, after] = [shown(from.state, code), shown(to.state, code)];
      return differing(before, after).map((key) => [locales[code] ?? code, key, before[key], after[key]]);
    });
    const [before, after] = [from.state.source, to.state.source];
    expected.push(...differing(before, after).map((key) => ["en", key, before[key], after[key]]));
    const query = { from: from.oid, to: to.oid, offset: 0, limit: 100 };
    const found = await compareStates(this.web.storage, web, { ...query, cache: this.#cache });
    const entries = found.entries.map((one) => [one.locale, one.key, one.before, one.after]);
    expect(entries.toSorted(), `from ${from.oid} to ${to.oid}`).toEqual(expected.toSorted());
    expect(found.total).toBe(expected.length);
  }

  readonly #kept = new Map<string, unknown>();
  readonly #cache = async <T>(name: string, version: string, make: () => Promise<T>): Promise<T> => {
    const id = `${name} ${version}`;
    if (!this.#kept.has(id)) this.#kept.set(id, await make());
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was kept under a name has its type
    return this.#kept.get(id) as T;
  };

  async search(side: Side, { oid, state: then }: Made): Promise<void> {
    const now = this.head(side);
    const code = this.one([...this.present, allLocales]);
    const searched = code === allLocales ? this.present : [code];
    const expected = keys.filter(
      (key) =>
        key in now.source &&
        (now.source[key] !== then.source[key] ||
          searched.some((one) => shown(now, one)[key] !== shown(then, one)[key])),
    );
    const query = { locale: code, since: oid, offset: 0, limit: 100 };
    const { strings } = await searchHive(this.web.storage, this.branch(side), query);
    expect(strings.map(({ key }) => key).toSorted(), `${side} in ${code} since ${oid}`).toEqual(expected);
  }

  /** Undoes what models wrote; as the real one, it takes commits of one origin that follow each other for one. */
  async undo(side: Side): Promise<void> {
    const commits = this.commits[side];
    const start = this.of(commits.length);
    const after = this.head(side);
    for (const code of this.present)
      for (const key of keys) {
        if (!(key in after.source)) continue;
        const now = after.texts[code]?.[key];
        let [text, from, isWritten, isChanged] = [now, commits.length - 1, false, false];
        for (let i = commits.length - 1; i > start;) {
          const { origin } = commits[i] ?? {};
          let before = i - 1;
          while (before > start && commits[before]?.origin === origin) before--;
          const was = commits[before]?.state.texts[code]?.[key];
          i = before;
          if (was === text) continue;
          if (origin === "model") isWritten = true;
          else if (isWritten) break;
          else isChanged = true;
          [text, from] = [was, before];
        }
        if (!isWritten || isChanged || text === now) continue;
        const then = commits[from]?.state;
        if (text === undefined) delete after.texts[code]?.[key];
        else (after.texts[code] ??= {})[key] = text;
        this.mark(
          after,
          code,
          key,
          text === undefined ? undefined : (then?.stale[code]?.[key] ?? then?.source[key]),
        );
      }
    const since = commits[start]?.oid ?? "";
    const request = { origin: "model", since } as const;
    await undoOrigin(this.web.storage, this.branch(side), request, byCommand);
    await this.expectHead(side, after, `undo on ${side} since ${since}`);
  }

  async expectHead(side: Side, state: State, message: string): Promise<void> {
    const snapshot = await this.web.storage.hives.at(this.branch(side)).snapshot();
    const { targetLocales } = snapshot.settings;
    const isStale = ([key, from]: readonly [string, string]): boolean => from !== state.source[key];
    const [content, markers] = [
      await snapshot.content("all"),
      await snapshot.values.stale.read(targetLocales.map(({ code }) => code)),
    ];
    const found = targetLocales.map(({ code }) => {
      const texts = Array.from(content.translations.get(code)?.values() ?? [], (one) => [...one]).flat();
      const stale = Array.from(markers.get(code)?.values() ?? [], (one) => [...one]).flat();
      return [code, Object.fromEntries(texts), Object.fromEntries(stale.filter(isStale))];
    });
    const expected = this.present.map((code) => {
      const stale = Object.entries(state.stale[code] ?? {}).filter(isStale);
      return [code, state.texts[code] ?? {}, Object.fromEntries(stale)];
    });
    expect(found.toSorted(), message).toEqual(expected.toSorted());
  }
}

async function history(of: (below: number) => number): Promise<void> {
  const all = new History(of, await setUpWeb({ locales: ["fr", "de"] }));
  all.note("main", { source: {}, texts: {}, stale: {}, locales: { fr: "fr", de: "de" } });
  for (let i = 0; i < 4; i++) await (i % 2 === 0 ? all.sync("main") : all.translate("main"));
  await all.web.call("POST", "/api/hives/web/branches", { body: { name: "b" } });
  all.commits.b.push(...all.commits.main);
  for (let i = 0; i < 20; i++) {
    const side = all.one<Side>(["main", "b"]);
    const steps = ["sync", "translate", "translate", "restore"] as const;
    const step = of(8);
    if (step < 4) await all[steps[step] ?? "sync"](side);
    else await (step === 4 ? all.push() : all.changeLocales());
    const made = [...all.commits.main, ...all.commits.b];
    await all.compare(all.one(made), all.one(made));
    await all.search(all.one<Side>(["main", "b"]), all.one(made));
    for (let times = 0; times < 3; times++) await all.restore(all.one<Side>(["main", "b"]), true);
  }
  for (const side of ["main", "b"] as const) await all.undo(side);
}

it("compare, search, restore and undo by origin find the texts of an earlier commit whatever locales its settings have", async () => {
  const first = seed();
  for (let at = first; at < first + runs(24); at++)
    await expect(history(numbers(at)), `the history of seed ${at}`).resolves.toBeUndefined();
});

it("an undo by origin gives a text its marker of a commit whose settings lack the locale", async () => {
  const { call, storage } = await setUpWeb({ locales: ["fr", "de"] });
  const send = (method: string, path: string, text: string, headers = {}) => {
    const body = { files: { a: { k: text } }, overwrite_strategy: "overwrite" };
    return call(method, `/api/hives/web/${path}`, { body, headers });
  };
  await send("POST", "strings", "old");
  await send("POST", "translations/de", "alt");
  await send("PUT", "strings", "new");
  await call("POST", "/api/hives/web/branches", { body: { name: "b" } });
  await removeLocale(storage, web, "de", byCommand);
  const since = (await send("POST", "translations/fr?branch=b", "neuf")).headers.get("x-skep-commit") ?? "";
  await addLocales(storage, web, [toLocale("de")], byCommand);
  await send("POST", "translations/de?branch=b", "neu", { "x-commit-origin": "model" });
  const branch = { slug: web, branch: toBranchName("b") };
  const { result } = await undoOrigin(storage, branch, { origin: "model", since }, byCommand);
  expect(result.updated).toBe(1);
  const { json } = await call("GET", "/api/hives/web/stale?branch=b");
  expect(json.data).toMatchObject([{ locale: "de", key: "k", old_source_value: "old" }]);
});
