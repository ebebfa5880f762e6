/** Who wrote a text last, and what there was before: random histories of two branches beside a plain model of them. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { originKinds, type OriginKind } from "../../../src/domain/commits/origin.ts";
import { toHiveSlug } from "../../../src/domain/names.ts";
import { runs } from "../../helpers/runs.ts";
import { setUpWeb, type Call } from "../../helpers/storage.ts";

const base = "/api/hives/web";
const kinds = [...originKinds, undefined];
const strings = ["a", "b", "c"];
type Kind = (typeof kinds)[number];
type Line = "main" | "b";

/** A text that was written, and what its line had before. */
interface Written {
  readonly text: string | undefined;
  readonly kind: Kind;
  readonly commit: number;
  readonly before: Entry | undefined;
  /** The commit that had that. */
  readonly parent: number;
}

/** A text of a line, with the merges that brought it there, the last one first. */
interface Entry {
  readonly written: Written;
  readonly merges: readonly Merged[];
}

interface Merged {
  /** What the line reached before the merge, and what it had. */
  readonly reached: ReadonlySet<number>;
  readonly replaced: Entry | undefined;
  /** The other line's commit. */
  readonly other: number;
}

interface LineState {
  tip: number;
  reached: Set<number>;
  texts: Map<string, Entry>;
  names: Map<string, string>;
}

const by = (kind: Kind): Record<string, string> => (kind === undefined ? {} : { "x-commit-origin": kind });

const copyOf = ({ tip, reached, texts, names }: LineState): LineState => ({
  tip,
  reached: new Set(reached),
  texts: new Map(texts),
  names: new Map(names),
});

/** What there was before an origin wrote a text, told by following it one writing after the other. */
function former(entry: Entry | undefined, kind: Kind, since: ReadonlySet<number>) {
  const open: { readonly merge: Merged; readonly steps: number }[] = [];
  let [next, at, steps] = [entry, -1, 0];
  let [isWritten, isChanged] = [false, false];
  const leave = (commit: number): boolean => {
    for (let top = open.at(-1); top?.merge.reached.has(commit) === true; top = open.at(-1)) {
      open.pop();
      if (top.steps === steps) continue;
      [next, at] = [top.merge.replaced, Math.max(...top.merge.reached)];
      return true;
    }
    return false;
  };
  for (;;) {
    const here = next;
    const passed = [at, ...(here?.merges ?? []).map(({ other }) => other), here?.written.commit ?? 0];
    let isLeft = false;
    for (const [i, commit] of passed.entries()) {
      const merge = i === 0 ? undefined : here?.merges[i - 1];
      if (merge !== undefined) open.push({ merge, steps });
      if ((isLeft = leave(commit))) break;
      if (since.has(commit)) return { text: here?.written.text, isWritten, isChanged };
    }
    if (isLeft) continue;
    if (here === undefined) return { text: undefined, isWritten, isChanged };
    const isTheirs = here.written.kind === kind;
    if (isTheirs) isWritten = true;
    else if (isWritten) return { text: here.written.text, isWritten, isChanged };
    else isChanged = true;
    [next, at, steps] = [here.written.before, here.written.parent, steps + 1];
  }
}

type Step =
  | { readonly op: "write" | "remove"; readonly line: Line; readonly string: string; readonly kind: Kind }
  | { readonly op: "merge"; readonly line: Line; readonly wins: "main" | "branch"; readonly kind: Kind }
  | { readonly op: "move"; readonly string: string }
  | { readonly op: "check"; readonly line: Line }
  | { readonly op: "branch" };

/** What was done, and what it was to do. */
class Histories {
  readonly #call: Call;
  readonly lines = new Map<Line, LineState>();
  #merged: LineState | undefined;
  readonly #commits: string[] = [];
  readonly #reached: ReadonlySet<number>[] = [];
  #count = 0;

  constructor(call: Call) {
    this.#call = call;
    const [reached, names] = [new Set([0]), new Map(strings.map((name) => [name, name]))];
    this.lines.set("main", { tip: 0, reached, texts: new Map(), names });
  }

  known(name: Line): Line {
    return this.lines.has(name) ? name : "main";
  }

  line(name: Line): LineState {
    const found = this.lines.get(name);
    if (found === undefined) throw new Error(`no line ${name}`);
    return found;
  }

  async send(method: string, path: string, line: Line, options: Parameters<Call>[2] = {}) {
    const reply = await this.#call(
      method,
      `${base}${path}${line === "main" ? "" : `?branch=${line}`}`,
      options,
    );
    expect([reply.text, reply.status]).toEqual([reply.text, 200]);
    return reply.json;
  }

  async start(): Promise<void> {
    await this.send("PUT", "/strings", "main", {
      body: { files: { "f.json": Object.fromEntries(strings.map((name) => [name, name])) } },
    });
    await this.#committed("main");
  }

  async #committed(name: Line): Promise<number> {
    const line = this.line(name);
    line.tip = this.#commits.length;
    line.reached.add(line.tip);
    const query = name === "main" ? "" : `&branch=${name}`;
    this.#commits.push((await this.#call("GET", `${base}/history?per_page=1${query}`)).json.data[0].commit);
    this.#reached.push(new Set(line.reached));
    return line.tip;
  }

  async run(step: Step): Promise<void> {
    if (step.op === "write") await this.write(step.line, step.string, step.kind, false);
    else if (step.op === "remove") await this.write(step.line, step.string, step.kind, true);
    else if (step.op === "branch") await this.branch();
    else if (step.op === "merge") await this.merge(step.line, step.wins, step.kind);
    else if (step.op === "move") await this.move(step.string);
    else await this.check(step.line);
  }

  async write(named: Line, string: string, kind: Kind, isRemoved: boolean): Promise<void> {
    const name = this.known(named);
    const line = this.line(name);
    const before = line.texts.get(string);
    // A text that came and went by one origin was never there.
    if (isRemoved && (before?.written.text === undefined || before.written.kind === kind)) return;
    const key = line.names.get(string) ?? "";
    const text = isRemoved ? undefined : `text ${++this.#count}`;
    const headers = by(kind);
    const body = { files: { "f.json": isRemoved ? [key] : { [key]: text } } };
    await this.send(isRemoved ? "DELETE" : "POST", "/translations/fr", name, {
      body: isRemoved ? body : { ...body, overwrite_strategy: "overwrite" },
      headers,
    });
    const parent = line.tip;
    const commit = await this.#committed(name);
    line.texts.set(string, { written: { text, kind, commit, before, parent }, merges: [] });
  }

  async move(string: string): Promise<void> {
    const { names } = this.line("main");
    const [from, to] = [names.get(string) ?? "", `moved${++this.#count}`];
    const move = { from: { file: "f.json", key: from }, to: { file: "f.json", key: to } };
    await this.send("POST", "/keys/move", "main", { body: { moves: [move] } });
    names.set(string, to);
    await this.#committed("main");
  }

  async branch(): Promise<void> {
    if (this.lines.has("b")) return;
    expect((await this.#call("POST", `${base}/branches`, { body: { name: "b" } })).status).toBe(201);
    this.lines.set("b", copyOf(this.line("main")));
    this.#merged = copyOf(this.line("main"));
  }

  /** Merges the branch into main, or main into the branch. */
  async merge(into: Line, wins: "main" | "branch", kind: Kind): Promise<void> {
    if (this.#merged === undefined) return;
    const other = this.line(into === "main" ? "b" : "main");
    const line = this.line(into);
    const before = new Set(line.reached);
    if (before.has(other.tip)) return;
    await this.send("POST", `/branches/b/${into === "main" ? "merge" : "update"}`, "main", {
      body: { on_conflict: wins },
      headers: by(kind),
    });
    for (const string of strings) {
      const [own, theirs] = [line.texts.get(string), other.texts.get(string)];
      const [mine, given, old] = [own, theirs, this.#merged.texts.get(string)].map(
        (one) => one?.written.text,
      );
      const isWinning = (wins === "main") !== (into === "main");
      const isTaken = mine !== given && given !== old && (mine === old || isWinning);
      if (!isTaken || theirs === undefined) continue;
      const merge = { reached: before, replaced: own, other: other.tip };
      line.texts.set(string, { ...theirs, merges: [merge, ...theirs.merges] });
    }
    if (into === "b") line.names = new Map(other.names);
    for (const commit of other.reached) line.reached.add(commit);
    await this.#committed(into);
    this.#merged = copyOf(other);
  }

  async check(named: Line): Promise<void> {
    const name = this.known(named);
    const query = name === "main" ? "" : `&branch=${name}`;
    const found: string[] = [];
    for (const kind of originKinds) {
      const { json } = await this.#call("GET", `${base}/strings?origin=${kind}&locale=fr${query}`);
      for (const { key } of json.data) found.push(`${key} ${kind}`);
    }
    const line = this.line(name);
    const expected = strings.flatMap((string) => {
      const written = line.texts.get(string)?.written;
      if (written?.text === undefined || written.kind === undefined) return [];
      return [`${line.names.get(string)} ${written.kind}`];
    });
    expect(found.toSorted()).toEqual(expected.toSorted());
  }

  async undo(named: Line, kind: OriginKind, commit: number | undefined): Promise<void> {
    const name = this.known(named);
    const line = this.line(name);
    const at = commit === undefined ? undefined : commit % this.#commits.length;
    const since = at === undefined ? "2000-01-01" : this.#commits[at];
    const reached = at === undefined ? new Set<number>() : (this.#reached[at] ?? new Set<number>());
    const result = await this.send("POST", "/undo", name, { body: { origin: kind, since } });
    const texts: Record<string, string> = {};
    let skipped = 0;
    for (const string of strings) {
      const entry = line.texts.get(string);
      const { text, isWritten, isChanged } = former(entry, kind, reached);
      const now = entry?.written.text;
      const isTaken = isWritten && !isChanged;
      const after = isTaken ? text : now;
      if (isWritten && isChanged && text !== now) skipped++;
      if (after !== undefined) texts[line.names.get(string) ?? ""] = after;
    }
    const query = name === "main" ? "" : `&branch=${name}`;
    const exported = (await this.#call("GET", `${base}/export?locale=fr${query}`)).json.files;
    expect([JSON.parse(exported["f.json"] ?? "{}"), result.skipped]).toEqual([texts, skipped]);
  }
}

const line = fc.constantFrom<Line>("main", "b");
const string = fc.constantFrom(...strings);
const kind = fc.constantFrom(...kinds);
const merge = {
  op: fc.constant("merge" as const),
  line,
  kind,
  wins: fc.constantFrom("main" as const, "branch" as const),
};
const step = fc.oneof(
  { weight: 7, arbitrary: fc.record({ op: fc.constant("write" as const), line, string, kind }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("remove" as const), line, string, kind }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("branch" as const) }) },
  { weight: 3, arbitrary: fc.record(merge) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("move" as const), string }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("check" as const), line }) },
);

/** Few texts, so that they come back; and undos. */
const again = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ op: fc.constant("write" as const), line, kind, text: fc.constantFrom("p", "q") }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("branch" as const) }) },
  { weight: 2, arbitrary: fc.record(merge) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("undo" as const), line, kind }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("ask" as const), line }) },
);

const writtenBy = (name: Line, key = "a") =>
  ({ op: "write", line: name, string: key, kind: "person" }) as const satisfies Step;

/** A branch brings the first text that it ever had in place of a later one, which the undo has to find again. */
const writtenFirstInBranch: Step[] = [
  { op: "branch" },
  writtenBy("b"),
  writtenBy("main"),
  writtenBy("main"),
  { op: "merge", line: "main", kind: "person", wins: "branch" },
  writtenBy("main"),
];

/** A removed text, whose origin is cached. */
const removedAfterCheck: Step[] = [
  { op: "write", line: "main", string: "a", kind: "model" },
  writtenBy("main", "c"),
  { op: "check", line: "main" },
  { op: "remove", line: "main", string: "a", kind: "person" },
];

describe("the origins of texts", () => {
  it("equal a model's for random histories, and so do the texts that an undo by origin restores", async () => {
    const steps = fc.array(step, { minLength: 4, maxLength: 20 });
    const end = fc.record({
      line,
      origin: fc.constantFrom(...originKinds),
      since: fc.option(fc.nat(20), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(steps, end, async (all, { line: last, origin, since }) => {
        const { call } = await setUpWeb({ locales: ["fr"] });
        const histories = new Histories(call);
        await histories.start();
        for (const one of all) await histories.run(one);
        await histories.check(last);
        await histories.undo(last, origin, since);
      }),
      {
        numRuns: runs(8),
        examples: [
          [writtenFirstInBranch, { line: "main", origin: "person", since: 2 }],
          [removedAfterCheck, { line: "main", origin: "person", since: undefined }],
        ],
      },
    );
  });

  it("do not depend on which earlier results are cached", async () => {
    const steps = fc.array(again, { minLength: 6, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { call, storage, put } = await setUpWeb({ locales: ["fr"] });
        await put({ "f.json": { a: "a" } });
        let hasBranch = false;
        const ask = async (query: string): Promise<string[]> => {
          const asked = originKinds.map((origin) =>
            call("GET", `${base}/strings?origin=${origin}&locale=fr${query.replace("?", "&")}`),
          );
          return (await Promise.all(asked)).map(({ json }) => JSON.stringify(json.data));
        };
        const results: (readonly [query: string, found: string[]])[] = [];
        for (const step of [...all, { op: "ask", line: "main" } as const]) {
          const query = "line" in step && step.line === "b" && hasBranch ? "?branch=b" : "";
          const headers = "kind" in step ? by(step.kind) : {};
          if (step.op === "write") {
            const texts = { files: { "f.json": { a: step.text } }, overwrite_strategy: "overwrite" };
            await call("POST", `${base}/translations/fr${query}`, { body: texts, headers });
          } else if (step.op === "branch") {
            await call("POST", `${base}/branches`, { body: { name: "b" } });
            hasBranch = true;
          } else if (step.op === "merge") {
            const into = step.line === "main" ? "merge" : "update";
            await call("POST", `${base}/branches/b/${into}`, { body: { on_conflict: step.wins }, headers });
          } else if (step.op === "undo") {
            const { json } = await call("GET", `${base}/history${query}`);
            await call("POST", `${base}/undo${query}`, { body: { commit: json.data[0].commit }, headers });
          } else {
            const { commit } = (await call("GET", `${base}/history${query}`)).json.data[0];
            results.push([`?at=${commit}`, await ask(query)]);
          }
        }
        const { revisions } = storage.hives.at(toHiveSlug("web"));
        for (const [query, found] of results) {
          revisions.evict();
          expect([query, await ask(query)]).toEqual([query, found]);
        }
      }),
      { numRuns: runs(6) },
    );
  });
});
