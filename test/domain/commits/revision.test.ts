import { describe, expect, it } from "vitest";
import { toRevision, toSeconds } from "../../../src/domain/commits/revision.ts";
import { clashingName, isTagName, toTagName, type TagName } from "../../../src/domain/commits/ref-name.ts";
import { anyText } from "../../helpers/arbitraries.ts";
import { forAllSync } from "../../helpers/runs.ts";

const oid = "0123456789abcdef0123456789abcdef01234567";

describe("a revision", () => {
  it("may be a full commit hash in upper or lower case, and then has no other meaning", () => {
    expect(toRevision(oid)).toEqual({ text: oid, oid, isMain: false });
    expect(toRevision(oid.toUpperCase()).oid).toBe(oid);
  });

  it("may have several meanings", () => {
    expect(toRevision("ABCDEF0")).toEqual({
      text: "ABCDEF0",
      prefix: "abcdef0",
      tag: "ABCDEF0",
      isMain: false,
    });
    expect(toRevision("main")).toEqual({ text: "main", tag: "main", isMain: true });
    expect(toRevision("2026-03-01")).toMatchObject({ tag: "2026-03-01", until: 1_772_409_599 });
    expect(toRevision("abcdef")).toEqual({ text: "abcdef", tag: "abcdef", isMain: false });
  });

  it.each([
    "",
    " ",
    "--help",
    "-n1",
    "main~1",
    "main^",
    "main^{tree}",
    "@",
    "@{1}",
    "main@{yesterday}",
    ":/fix",
    "main:hive.yaml",
    "a..b",
    "a...b",
    "..",
    "../../etc/passwd",
    "/etc",
    "a/",
    "a//b",
    ".git",
    "a/.b",
    "x.lock",
    "x.lock/y",
    "a\0b",
    "a\nb",
    "a b",
    "*",
    "[a]",
    "a\\b",
    "\ud800",
    "x".repeat(300),
    "2026-13-01 ",
    "2026-03-01T25:00Z x",
  ])("is not %j", (text) => {
    expect(() => toRevision(text)).toThrow(/^at: ".*" is not a commit/);
  });
});

describe("a date or time", () => {
  it.each([
    ["2026-03-01", "2026-03-01T00:00:00Z", "2026-03-01T23:59:59Z"],
    ["2024-02-29", "2024-02-29T00:00:00Z", "2024-02-29T23:59:59Z"],
    ["2026-03-01T12:30", "2026-03-01T12:30:00Z"],
    ["2026-03-01T12:30:45Z", "2026-03-01T12:30:45Z"],
    ["2026-03-01T12:30:45.999Z", "2026-03-01T12:30:45Z"],
    ["2026-03-01 12:30:45,5", "2026-03-01T12:30:45Z"],
    ["2026-03-01T12:30:45+02:00", "2026-03-01T10:30:45Z"],
    ["2026-03-01T12:30:45 02:00", "2026-03-01T10:30:45Z"],
    ["2026-03-01T12:30:45-0530", "2026-03-01T18:00:45Z"],
    ["2026-03-01T12:30+02", "2026-03-01T10:30:00Z"],
  ])("is read: %s", (text, first, last = first) => {
    expect(toSeconds(text)).toEqual({ first: Date.parse(first) / 1000, last: Date.parse(last) / 1000 });
  });

  it.each([
    "2026-02-29",
    "2026-00-10",
    "2026-3-1",
    "20260301",
    "2026-03",
    "2026-03-01T",
    "2026-03-01T1:00",
    "2026-03-01T12:00+99:99",
    "2026-03-01T25:00",
    "2026-03-01Z",
    "+002026-03-01",
    "now",
    "yesterday",
    "1700000000",
  ])("is not %s", (text) => expect(toSeconds(text)).toBe(undefined));
});

describe("the name of a tag", () => {
  it.each(["v1.2", "release/2026.1", "@acme/web@1.2.0", "abcdef", "été", "2026-03", "日本"])(
    "can be %s",
    (text) => {
      expect(toTagName(text)).toBe(text);
      expect(toRevision(text).tag).toBe(text);
    },
  );

  it.each([
    "",
    "main",
    "MAIN",
    "HEAD",
    "abcdef0",
    "ABCDEF0",
    "1234567",
    oid,
    "2026-03-01",
    "2026-99-99",
    "20260301",
    "2026-03-01T12:00",
    "refs/tags/x",
    "-v1",
    "@",
    "a..b",
    "a@{b",
    "a.lock",
    "a.lock/b",
    "a/.b",
    "a//b",
    "/a",
    "a/",
    "a.",
    "a b",
    "a~1",
    "a^",
    "a:b",
    "a?",
    "a*",
    "a[b",
    "a\\b",
    "a\u007fb",
    "a\u0000b",
    "a\u202eb",
    "a\u200bb",
    "e\u0301",
    "\ud800",
    "con",
    "a/nul.x",
    "x".repeat(256),
  ])("cannot be %j", (text) => {
    expect(() => toTagName(text)).toThrow(/^name: must/);
  });

  it("never has another form of `at`", () => {
    forAllSync(75, anyText({ maxLength: 45 }), (text) => {
      if (!isTagName(text)) return;
      let name: TagName;
      try {
        name = toTagName(text);
      } catch {
        return;
      }
      expect(toRevision(name)).toEqual({ text, tag: name, isMain: false });
    });
  });

  it.each<[string, string[], string | undefined]>([
    ["v1", ["v2", "v1.0"], undefined],
    ["v1", ["v1"], "v1"],
    ["v1", ["V1"], "V1"],
    ["a/b", ["a/c"], undefined],
    ["a/b", ["a"], "a"],
    ["a", ["a/b/c"], "a/b/c"],
    ["A/b", ["a/c"], "a/c"],
    ["A", ["a/b"], "a/b"],
    ["straße", ["STRASSE"], "STRASSE"],
  ])("the tag %s beside %j clashes with %s", (name, present, expected) => {
    expect(
      clashingName(
        toTagName(name),
        present.map((one) => toTagName(one)),
      ),
    ).toBe(expected);
  });
});
