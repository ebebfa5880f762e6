/** The source texts that strings had earlier. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { differingKeys, StoredFile } from "../../../src/domain/strings/stored-text.ts";
import type { LocaleCode } from "../../../src/domain/hives/locale.ts";
import type { FileName } from "../../../src/domain/names.ts";
import type { BareRepo } from "../../../src/git/bare-repo.ts";
import { CommitGraph } from "../../../src/store/history/commit-graph.ts";
import { FileVersions } from "../../../src/store/history/key-changes.ts";
import { FormerTexts } from "../../../src/store/history/former-texts.ts";
import { runs } from "../../helpers/runs.ts";
import {
  addCommit,
  emptyRepo,
  files,
  locales,
  path,
  sourceLocale,
  step,
  type Commit,
} from "./text-history.ts";

const unlimited = { commits: 1_000, read: 1_000_000, texts: 1_000 };

function formerOf(repo: BareRepo, limits = unlimited): FormerTexts {
  const source = { repo, stream: async () => undefined };
  return new FormerTexts(source, new CommitGraph(source, 0), new FileVersions(repo), limits);
}

const [x = expect.fail(), y = expect.fail()] = files;
const [, target = expect.fail()] = locales;

/** Makes commits, each with the source texts of the file `x`. */
async function sourceHistory(...contents: readonly (Record<string, string> | undefined)[]) {
  const repo = await emptyRepo();
  const commits: Commit[] = [];
  for (const content of contents) {
    const value = content && JSON.stringify(content);
    await addCommit(repo, commits, { changes: [[sourceLocale, x, value]] });
  }
  const oid = (n: number) => commits.at(n)?.oid ?? expect.fail("no commit");
  return { repo, commits, oid };
}

describe("former source texts", () => {
  it("have the translations of their time, which are read together", async () => {
    const repo = await emptyRepo();
    const commits: Commit[] = [];
    const add = (...changes: readonly [LocaleCode, FileName, string | undefined][]) =>
      addCommit(repo, commits, { changes: [...changes] });
    await add([sourceLocale, x, '{"a":"one","b":"two","c":"three"}'], [target, x, '{"a":"eins","b":"zwei"}']);
    await add([sourceLocale, x, '{"c":"three"}'], [target, x, undefined]);
    const former = formerOf(repo);
    const { entries } = await former.at(commits.at(-1)?.oid ?? expect.fail(), sourceLocale);
    const read = vi.spyOn(repo, "readBlob");
    const found = await Promise.all(entries.map((entry) => former.translation(entry, target)));
    expect(found).toEqual([
      { text: "eins", approved: true },
      { text: "zwei", approved: true },
    ]);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it("have the translations of an earlier time where they had none at the last one", async () => {
    const repo = await emptyRepo();
    const commits: Commit[] = [];
    const add = (source: string, translation: string | undefined) =>
      addCommit(repo, commits, {
        changes: [
          [sourceLocale, x, source],
          [target, x, translation],
        ],
      });
    for (const translation of ['{"a":"zuerst"}', '{"a":"dann"}', undefined]) {
      await add('{"a":"one"}', translation);
      await add('{"a":"other"}', undefined);
    }
    const former = formerOf(repo);
    const { entries } = await former.at(commits.at(-1)?.oid ?? expect.fail(), sourceLocale);
    const found = entries.map(async (one) => [one.text, (await former.translation(one, target))?.text]);
    expect(await Promise.all(found)).toEqual([
      ["one", "dann"],
      ["other", undefined],
    ]);
  });

  it("have their translations on each of two branches that replaced texts of one commit", async () => {
    const repo = await emptyRepo();
    const commits: Commit[] = [];
    const first = '{"a":"one","b":"two"}';
    await addCommit(repo, commits, {
      changes: [
        [sourceLocale, x, first],
        [target, x, '{"a":"eins","b":"zwei"}'],
      ],
    });
    await addCommit(repo, commits, { changes: [[sourceLocale, x, '{"a":"other","b":"two"}']] });
    await addCommit(repo, commits, { back: 1, changes: [[sourceLocale, x, '{"a":"one","b":"other"}']] });
    const former = formerOf(repo);
    const texts: unknown[] = [];
    for (const { oid } of commits.slice(1)) {
      const [entry = expect.fail("no former text")] = (await former.at(oid, sourceLocale)).entries;
      texts.push((await former.translation(entry, target))?.text);
    }
    expect(texts).toEqual(["eins", "zwei"]);
  });

  it("are the texts that commits replaced and removed, the last ones first", async () => {
    const { repo, oid } = await sourceHistory(
      { a: "one", b: "two", c: "same" },
      { a: "other", b: "two", c: "same" },
      { a: "one", c: "same", d: "new" },
      undefined,
    );
    const { entries, texts } = await formerOf(repo).at(oid(-1), sourceLocale);
    const all = entries.map(({ key, text, commit }) => [key, text, commit]);
    expect(all).toEqual([
      ["a", "one", oid(2)],
      ["c", "same", oid(2)],
      ["d", "new", oid(2)],
      ["a", "other", oid(1)],
      ["b", "two", oid(1)],
    ]);
    expect([...texts]).toEqual(entries.map(({ text }, i) => [String(i), text]));
  });

  it("come only from the last commits, up to a limit", async () => {
    const { repo, oid } = await sourceHistory(
      ...Array.from({ length: 12 }, (_, n) => ({ a: `text ${n}`, b: `more ${n}`, long: "x".repeat(100) })),
    );
    const found = async (limits: Partial<typeof unlimited>) => {
      const former = formerOf(repo, { ...unlimited, ...limits });
      return (await former.at(oid(-1), sourceLocale)).entries.map(({ text }) => text);
    };
    const last = ["text 10", "more 10", "text 9", "more 9", "text 8", "more 8"];
    expect((await found({})).length).toBe(22);
    expect(await found({ commits: 3 })).toEqual(last);
    expect(await found({ texts: 5 })).toEqual(last.slice(0, 5));
    // Each commit reads two versions of about 140 bytes.
    expect(await found({ read: 600 })).toEqual(last);
  });

  it("need only the versions that were replaced, and after a new commit only the versions that it replaced", async () => {
    const { repo, commits, oid } = await sourceHistory({ a: "one" }, { a: "two" });
    await addCommit(repo, commits, { changes: [[sourceLocale, y, '{"k":"v"}']] });
    const read = vi.spyOn(repo, "readBlob");
    const former = formerOf(repo);
    const first = await former.at(oid(-1), sourceLocale);
    expect(read).toHaveBeenCalledTimes(2);
    // A commit that replaces no source text gives the same object, of which the index is known.
    await addCommit(repo, commits, { changes: [[target, x, '{"a":"deux"}']] });
    expect(await former.at(oid(-1), sourceLocale)).toBe(first);
    await addCommit(repo, commits, { changes: [[sourceLocale, x, '{"a":"three"}']] });
    expect((await former.at(oid(-1), sourceLocale)).entries.map(({ text }) => text)).toEqual(["two", "one"]);
    expect(read).toHaveBeenCalledTimes(3);
    expect(former.bytes).toBeGreaterThan(0);
    former.evict();
    expect(former.bytes).toBe(0);
  });

  it("are the same after further commits as when they are read anew, on every branch", async () => {
    const limits = fc.record({
      commits: fc.integer({ min: 1, max: 8 }),
      read: fc.integer({ min: 1, max: 300 }),
      texts: fc.integer({ min: 1, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constant(unlimited), limits),
        fc.array(fc.tuple(step, fc.array(fc.nat(), { maxLength: 3 })), { minLength: 1, maxLength: 14 }),
        async (most, steps) => {
          const repo = await emptyRepo();
          const kept = formerOf(repo, most);
          const commits: Commit[] = [];
          for (const [made, tips] of steps) {
            await addCommit(repo, commits, made);
            for (const tip of tips) {
              const at = tip % commits.length;
              const { oid } = commits[at] ?? expect.fail("no commit");
              const [found, anew] = [await kept.at(oid, sourceLocale), formerOf(repo, most)];
              expect(found).toEqual(await anew.at(oid, sourceLocale));
              for (const entry of found.entries)
                expect(await kept.translation(entry, target)).toEqual(await anew.translation(entry, target));
              if (most === unlimited) {
                const texts = found.entries.map(({ file, key, text }) => JSON.stringify([file, key, text]));
                expect(new Set(texts)).toEqual(await replacedTexts(commits, at));
              }
            }
          }
        },
      ),
      { numRuns: runs(20) },
    );
  });
});

/** What the commits on the line to a tip replaced. */
async function replacedTexts(commits: readonly Commit[], tip: number): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let at: number | undefined = tip; at !== undefined;) {
    const { parents, content }: Commit = commits[at] ?? expect.fail("no commit");
    for (const name of files) {
      const [before, after] = [commits[parents[0] ?? -1]?.content, content].map((one) => {
        const value = one?.[path(sourceLocale, name)];
        return value === undefined ? undefined : new StoredFile(Buffer.from(value));
      });
      for (const key of (await differingKeys(before, after)) ?? []) {
        const text = before?.textAt(key) ?? "";
        if (text !== "" && text !== after?.textAt(key)) found.add(JSON.stringify([name, key, text]));
      }
    }
    [at] = parents;
  }
  return found;
}
