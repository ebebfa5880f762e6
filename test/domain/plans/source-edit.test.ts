/** What edits of single source strings send. */
import { describe, expect, it } from "vitest";
import { plannedEdit, type SourceEdit } from "../../../src/domain/plans/source-edit.ts";
import { toSourceFiles } from "../../../src/domain/strings/payload.ts";

const source = await toSourceFiles({
  "a.json": { nav: { home: "Home", list: ["One", "Two"] }, "dotted.key": "Dotted", bye: "Bye" },
  "b.strings": { "flat.key": "Flat" },
  "c.json": { item_one: "{{count}} item", item_other: "{{count}} items", last: "Last" },
});

const sentBy = (edit: SourceEdit) => {
  const planned = plannedEdit(source, edit);
  if ("moves" in planned) return planned.moves;
  const { files, ...rest } = planned.sent;
  return { ...rest, files: Object.fromEntries(Array.from(files, ([name, { group }]) => [name, group])) };
};
const add = { kind: "add", text: "New" } as const;
const remove = { kind: "remove" } as const;

describe("an added string", () => {
  it.each([
    ["goes into groups of a file that has any", "a.json", "nav.away", { nav: { away: "New" } }],
    ["keeps its dots in a file that has none", "b.strings", "nav.away", { "nav.away": "New" }],
    ["keeps its dots in a new file", "new.json", "nav.away", { "nav.away": "New" }],
    ["keeps dots that would make groups without a name", "a.json", "wait...", { "wait...": "New" }],
    [
      "keeps dots that would nest too deep",
      "a.json",
      "a.".repeat(40) + "b",
      { ["a.".repeat(40) + "b"]: "New" },
    ],
  ])("%s", (_, file, key, group) => {
    const sent = { mode: "import", conflictStrategy: "keep", files: { [file]: group } };
    expect(sentBy({ ...add, file, key })).toEqual(sent);
  });

  it.each([
    [{ file: "a.json", key: "nav.home", text: "x" }, ["key", "is there already"]],
    [{ file: "../a.json", key: "x", text: "x" }, ["file", expect.stringContaining("must")]],
    [{ file: "a.json", key: "x\0", text: "x" }, ["key", expect.stringContaining("NUL")]],
    [{ file: "a.json", key: "x", text: "x\0" }, ["text", expect.stringContaining("NUL")]],
  ])("is refused at its field: %j", (given, [field, problem]) => {
    expect(() => sentBy({ ...add, ...given })).toThrow(
      expect.objectContaining({
        code: "invalid",
        data: expect.objectContaining({
          issues: [{ field, message: expect.stringMatching(new RegExp(`^${String(field)}`)) }],
        }),
        message: problem === "is there already" ? expect.stringContaining(problem) : expect.anything(),
      }),
    );
  });
});

describe("a changed text", () => {
  it("is sent by its key, with the other forms of its plural", () => {
    const texts = new Map([["nav.home", "Start"]]);
    expect(sentBy({ kind: "change", file: "a.json", texts, conflictStrategy: "clear" })).toEqual({
      mode: "import",
      conflictStrategy: "clear",
      files: { "a.json": { "nav.home": "Start" } },
    });
  });

  it.each([["absent"], ["item_few"]])("is refused for what is no string of the source: %s", (key) => {
    const texts = new Map([[key, "x"]]);
    expect(() => sentBy({ kind: "change", file: "c.json", texts, conflictStrategy: "keep" })).toThrow(
      expect.objectContaining({ code: "not-found" }),
    );
  });
});

describe("a removed string", () => {
  it.each([
    ["a.json", "bye", { nav: { home: "Home", list: ["One", "Two"] }, "dotted.key": "Dotted" }],
    ["a.json", "nav.home", { nav: { list: ["One", "Two"] }, "dotted.key": "Dotted", bye: "Bye" }],
    ["c.json", "item_one", { last: "Last" }],
    ["b.strings", "flat.key", {}],
  ])("leaves the others of its file, and takes all forms of a plural along: %s %s", (file, key, left) => {
    const sent = { mode: "sync", conflictStrategy: "keep", files: { [file]: left } };
    expect(sentBy({ ...remove, file, key })).toEqual(sent);
  });
});

describe("a moved string", () => {
  const move = (key: string, to: string) =>
    sentBy({ kind: "move", from: { file: "c.json", key }, to: { file: "d.json", key: to } });
  const at = (from: string, to: string) => ({
    from: { file: "c.json", key: from },
    to: { file: "d.json", key: to },
  });

  it("takes the forms of its plural along where the new key ends as the old one", () => {
    expect(move("item_other", "thing_other")).toEqual([
      at("item_one", "thing_one"),
      at("item_other", "thing_other"),
    ]);
  });

  it.each([
    ["last", "first"],
    ["item_other", "all"],
  ])("goes alone otherwise: %s to %s", (from, to) => {
    expect(move(from, to)).toEqual([at(from, to)]);
  });
});
