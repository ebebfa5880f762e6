/** The command that merges branches, after changes of both sides. */
import fc from "fast-check";
import { expect } from "vitest";
import * as branching from "../branches.ts";
import * as moving from "../moves.ts";
import * as past from "../past.ts";
import { branch, command, expectSame, guarded, namesOf } from "../real.ts";
import { files, locale, place, pluralFiles, seldom, sentForms, writer } from "./arbitraries.ts";
import { compareBeside, stepsOfSide, takeAll } from "./steps.ts";
import { change, fill, stringAt } from "./texts.ts";
import { takeBack } from "./undo.ts";

/** A request by each of both sides, so that there is something to merge. */
const edit = fc.record({
  hive: fc.constantFrom("web", `web@${branch}`),
  content: fc.oneof(files, pluralFiles),
  mode: fc.constantFrom("import" as const, "sync" as const),
  code: locale,
  texts: fc.oneof(files, sentForms),
  writer,
  steps: fc.option(stepsOfSide, { freq: 2 }),
  move: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ pick: fc.nat({ max: 20 }), to: place }) },
  ),
});

export const merge = fc
  .record({
    into: fc.constantFrom("main" as const, "branch" as const),
    onConflict: fc.constantFrom("fail" as const, "main" as const, "branch" as const),
    /** What is said of the conflicts of texts, each for itself; nothing of some. */
    settles: fc.array(
      fc.constantFrom("main" as const, "branch" as const, { text: "Own" }, { text: "A" }, null),
      {
        maxLength: 6,
      },
    ),
    edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
    isDeleted: seldom,
    maxDeletions: seldom.map((isNone) => (isNone ? 0 : undefined)),
    namesHead: fc.boolean(),
    undoes: fc.boolean(),
    /** Without a branch most merges would merge nothing. */
    makes: seldom.map((isNot) => !isNot),
  })
  .map(({ into, onConflict, settles, edits, isDeleted, maxDeletions, namesHead, undoes, makes }) => {
    const told = [into, onConflict, isDeleted, maxDeletions, JSON.stringify([settles, edits])].join(" ");
    return command(`merge into ${told}`, async (m, real) => {
      await fill(m, real, "web");
      if (makes && m.hives.has("web") && !m.hives.has(`web@${branch}`)) {
        const made = await real.call("POST", "web/branches", { name: branch });
        expectSame(made, branching.createBranch(m, "web", branch));
      }
      for (const { hive, move: moved, steps, ...one } of edits) {
        if (steps !== null) await takeAll(m, real, hive, steps);
        else if (moved === null) await change(m, real, hive, one);
        else {
          const moves = [{ from: stringAt(m, hive, moved.pick), to: moved.to }];
          const reply = await real.call("POST", `${hive}/keys/move`, { moves });
          expectSame(reply, moving.moveStrings(m, hive, moves));
        }
        const there = m.hives.get(hive);
        if (there !== undefined) past.record(there, await real.head(hive));
      }
      const path = `web/branches/${branch}/${into === "main" ? "merge" : "update"}`;
      const open = branching.textConflicts(m, "web", branch, into);
      const resolutions = new Map(
        open.flatMap((id, i): [string, branching.Resolution][] => {
          const { [i]: take = null } = settles;
          return take === null ? [] : [[id, take]];
        }),
      );
      const sentResolutions = Array.from(resolutions, ([id, take]) => {
        const [code, file, ...key] = id.split(" ");
        return { locale: code, file, key: key.join(" "), ...(typeof take === "object" ? take : { take }) };
      });
      const settling = { on_conflict: onConflict, resolutions: sentResolutions };
      const body = { ...settling, ...(into === "main" ? { delete: isDeleted } : {}) };
      const query = maxDeletions === undefined ? "" : `&max_deletions=${maxDeletions}`;
      const hadBranch = m.hives.has(`web@${branch}`);
      const expected = branching.merge(m, "web", branch, {
        into,
        onConflict,
        resolutions,
        maxDeletions,
      });
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
      for (const code of ["fr", "ru"]) await compareBeside(m, real, place, code);
      if (deleted === true) branching.deleteBranch(m, "web", branch);
      const there = m.hives.get(place);
      if (!undoes || there === undefined) return;
      past.record(there, await real.head(place));
      await takeBack(m, real, place, 0, false);
    });
  });
