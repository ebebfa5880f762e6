/** ZIP files of strangers: what is read, and what is refused before anything is expanded. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readZip } from "../../../src/formats/moving/zip.ts";
import { zipOf, type ZipEntry } from "../../helpers/exports/zip.ts";
import { forAll } from "../../helpers/runs.ts";

const all = (): boolean => true;
const a: ZipEntry = { path: "a.json", content: "{}" };

it("gives back what a program packed", async () => {
  const name = fc.stringMatching(/^[a-z]{1,8}$/);
  const files = fc.dictionary(name, fc.uint8Array({ maxLength: 2_000 }));
  await forAll(25, files, async (made) => {
    const entries = Object.entries(made).map(([path, content]) => ({ path: `folder/${path}`, content }));
    const read = await readZip(zipOf(entries), all);
    expect(new Map(Array.from(read, ([path, bytes]) => [path, Buffer.from(bytes)]))).toEqual(
      new Map(entries.map(({ path, content }) => [path, Buffer.from(content)])),
    );
  });
});

it("reads neither folders nor what nobody wants, however large that says to be", async () => {
  const huge = { path: "vcs/.git/pack", content: "x", claims: { size: 4_000_000_000 } };
  const zip = zipOf([{ path: "folder/", content: "" }, huge, a]);
  const read = await readZip(zip, (path) => !path.includes(".git/"));
  expect([...read.keys()]).toEqual(["a.json"]);
});

describe("is refused", () => {
  const limits = { entries: 2, entryBytes: 100, bytes: 150 };
  const text = "x".repeat(90);
  it.each<[string, readonly ZipEntry[], string]>([
    ["with a path that leads out", [{ path: "../a.json", content: "{}" }], "invalid relative path"],
    [
      "with a path within that leads out",
      [{ path: "b/../../a.json", content: "{}" }],
      "invalid relative path",
    ],
    ["with an absolute path", [{ path: "/etc/passwd", content: "{}" }], "absolute path"],
    ["with the path of a drive", [{ path: "C:/a.json", content: "{}" }], "absolute path"],
    [
      "with a backward path of Windows",
      [{ path: String.raw`..\a.json`, content: "" }],
      "invalid relative path",
    ],
    [
      "with a symbolic link",
      [{ path: "a", content: "/etc/passwd", claims: { mode: 0o120777 } }],
      "symbolic link",
    ],
    ["with an encrypted entry", [{ ...a, claims: { flags: 0x0801 } }], "encrypted"],
    ["with a path twice", [a, a], "twice"],
    ["with too many entries", [a, { ...a, path: "b" }, { ...a, path: "c" }], "more than 2 entries"],
    ["with a large entry", [{ path: "a", content: "x".repeat(101) }], "larger than 100 bytes"],
    [
      "with much together",
      [
        { path: "a", content: text },
        { path: "b", content: text },
      ],
      "larger than 150 bytes",
    ],
    ["with more than it says", [{ path: "a", content: text, claims: { size: 5 } }], "too many bytes"],
    ["with less than it says", [{ path: "a", content: text, claims: { size: 95 } }], "not enough bytes"],
    ["with other content than it says", [{ ...a, claims: { crc: 1 } }], "broken"],
  ])("one %s", async (_, entries, problem) => {
    await expect(readZip(zipOf(entries), all, limits)).rejects.toThrow(problem);
  });

  it("one that is cut off, wherever", async () => {
    const whole = zipOf([a, { path: "b.json", content: text }]);
    await forAll(25, fc.nat(whole.length - 1), async (length) => {
      await expect(readZip(whole.subarray(0, length), all)).rejects.toThrow(/^is no ZIP file/);
    });
  });

  it("one of bytes that a stranger made, with a message for people", async () => {
    const bytes = fc
      .uint8Array({ maxLength: 300 })
      .map((some) => Buffer.concat([Buffer.from("PK\u0003\u0004"), some]));
    await forAll(50, bytes, async (made) => {
      await expect(readZip(Buffer.from(made), all)).rejects.toMatchObject({ name: "FormatError" });
    });
  });
});
