import { describe, expect, it, vi } from "vitest";
import { flushPacket, hideNames, parseUploadRequest, toPacket } from "../../../src/git/serve/pkt-line.ts";
import { isOid, type Oid } from "../../../src/domain/names.ts";

const a = toOid("a".repeat(40));
const b = toOid("b".repeat(40));
const delimiter = Buffer.from("0001");

function toOid(text: string): Oid {
  if (!isOid(text)) throw new Error("not an object name");
  return text;
}

/** A request of version 2. */
function fetchOf(...lines: readonly string[]): Buffer {
  return Buffer.concat([
    toPacket("command=fetch\n"),
    toPacket("agent=git/2.39.5"),
    toPacket("object-format=sha1"),
    delimiter,
    ...lines.map(toPacket),
    flushPacket,
  ]);
}

/** A request of the older versions: what is wanted, and what is there already. */
function olderOf(wants: readonly string[], ...haves: readonly string[]): Buffer {
  return Buffer.concat([...wants.map(toPacket), flushPacket, ...haves.map(toPacket)]);
}

describe("a request to upload-pack", () => {
  it("names the wanted and the present commits", async () => {
    const lines = [`want ${a}\n`, `have ${b}`, `shallow ${b}`, "deepen-not v1", "deepen-not v2\n", "done\n"];
    const request = fetchOf(...lines);
    expect(await parseUploadRequest(request, 2)).toEqual({
      isForRefs: false,
      wants: new Set([a]),
      claims: [
        { oid: b, at: request.indexOf(`have ${b}`) + 5 },
        { oid: b, at: request.indexOf(`shallow ${b}`) + 8 },
      ],
      excluded: new Set(["v1", "v2"]),
    });
  });

  it("names commits before version 2", async () => {
    const wants = [
      `want ${a} ofs-delta filter agent=x\n`,
      `want ${b}\n`,
      `shallow ${b}`,
      "filter blob:none\n",
    ];
    const request = await parseUploadRequest(olderOf(wants, `have ${a}\n`, "done\n"), 1);
    expect([request.wants, request.claims.map(({ oid }) => oid)]).toEqual([new Set([a, b]), [b, a]]);
  });

  it("is read as git reads it: digits in either case", async () => {
    const bytes = fetchOf(`want ${a.toUpperCase()}`);
    bytes.write(bytes.toString("latin1", 0, 4).toUpperCase(), 0, "latin1");
    expect((await parseUploadRequest(bytes, 2)).wants).toEqual(new Set([a]));
  });

  it("asks only for refs when that is its command", async () => {
    const lines = [delimiter, toPacket("peel\n"), toPacket("ref-prefix refs/tags/")];
    const request = Buffer.concat([toPacket("command=ls-refs\n"), ...lines, flushPacket]);
    expect((await parseUploadRequest(request, 2)).isForRefs).toBe(true);
    const bare = Buffer.concat([toPacket("command=ls-refs"), flushPacket]);
    expect((await parseUploadRequest(bare, 2)).isForRefs).toBe(true);
    expect((await parseUploadRequest(fetchOf(), 2)).isForRefs).toBe(false);
    expect((await parseUploadRequest(flushPacket, 0)).isForRefs).toBe(false);
  });

  it.each([
    "blob:none",
    "blob:limit=10k",
    "tree:0",
    "combine:blob:none+tree:3",
    "combine:blob%3anone+tree:3",
    "sparse:oid=main:x",
  ])("may filter by %s", async (filter) => {
    await expect(parseUploadRequest(fetchOf(`want ${a}`, `filter ${filter}\n`), 2)).resolves.toBeDefined();
  });

  it("gets zeros in place of hidden names", async () => {
    const lines = [`want ${a}`, `have ${a.toUpperCase()}\n`, `have ${b}\n`, `shallow ${a}`];
    const none = "0".repeat(40);
    const hidden = [`want ${a}`, `have ${none}\n`, `have ${b}\n`, `shallow ${none}`];
    const { claims } = await parseUploadRequest(fetchOf(...lines), 2);
    const ofA = claims.filter(({ oid }) => oid === a);
    expect(hideNames(fetchOf(...lines), ofA)).toEqual(fetchOf(...hidden));
  });

  it.each<[string, 0 | 2, (lines: readonly string[]) => Buffer]>([
    ["commits that are there", 2, (lines) => fetchOf(...lines)],
    ["commits that are there, before version 2", 0, (lines) => olderOf([`want ${a}`], ...lines, "done")],
    ["what is wanted", 2, (lines) => fetchOf(...lines.map((line) => line.replace("have", "want")))],
  ])("is read in steps, however much it names: %s", async (_, version, make) => {
    const lines = Array.from({ length: 75_000 }, (_line, i) => `have ${String(i).padStart(40, "0")}\n`);
    const clock = vi.spyOn(performance, "now").mockReturnValue(0);
    const { wants, claims } = await parseUploadRequest(make(lines), version);
    expect(clock.mock.calls.length).toBeGreaterThan(30);
    expect(wants.size + claims.length).toBeGreaterThanOrEqual(lines.length);
    clock.mockRestore();
  });

  it.each<[string, 0 | 2, Uint8Array]>([
    ["a length that is none", 2, Buffer.from("00zz")],
    ["a length with a sign", 2, Buffer.from("+00fxxxxxxxxxxx")],
    ["half a length", 2, Buffer.from("00")],
    ["a length of three", 2, Buffer.from("0003")],
    ["an empty line", 2, fetchOf("")],
    ["less than announced", 2, Buffer.from("0009don")],
    ["no command", 2, flushPacket],
    ["two commands", 2, Buffer.concat([toPacket("command=ls-refs"), fetchOf()])],
    ["a command that is not served", 2, Buffer.concat([toPacket("command=object-info\n"), flushPacket])],
    ["a command with more behind it", 2, Buffer.concat([toPacket("command=fetch\0\n"), flushPacket])],
    ["another format of names", 2, Buffer.concat([toPacket("object-format=sha256"), fetchOf()])],
    ["no end", 2, fetchOf(`want ${a}`).subarray(0, -4)],
    ["more after its end", 2, Buffer.concat([fetchOf(), fetchOf()])],
    ["a line that git does not know", 2, fetchOf("reboot")],
    ["a want without a name", 2, fetchOf("want \n")],
    ["a want of a short name", 2, fetchOf(`want ${a.slice(1)}\n`)],
    ["a want with more behind it", 2, fetchOf(`want ${a} x`)],
    ["a want by reference", 2, fetchOf("want-ref refs/heads/main\n")],
    ["a shallow of a word", 2, fetchOf("shallow main\n")],
    ["a depth of none", 2, fetchOf("deepen 0")],
    ["too much depth", 2, fetchOf("deepen 2147483648")],
    ["a time that is none", 2, fetchOf("deepen-since yesterday")],
    ["a depth and a time", 2, fetchOf("deepen 1", "deepen-since 1")],
    ["a filter that git does not know", 2, fetchOf("filter blob:some")],
    ["a combined filter that git does not know", 2, fetchOf("filter combine:blob:none+x%")],
    ["two filters", 2, fetchOf("filter blob:none", "filter tree:0")],
    ["a NUL in a line", 2, fetchOf("deepen-not v1\0")],
    ["a command before version 2", 0, fetchOf()],
    ["no end of what is wanted", 0, toPacket(`want ${a}`)],
    ["a have before a want", 0, olderOf([`have ${a}`])],
    ["a want after the first part", 0, olderOf([`want ${a}`], `want ${b}`)],
    ["a filter that was not announced", 0, olderOf([`want ${a} thin-pack`, "filter blob:none"])],
    ["another format before version 2", 0, olderOf([`want ${a} object-format=sha256`])],
    ["too many packets", 0, Buffer.alloc(400_004, "0000")],
  ])("is refused with %s", async (_, version, bytes) => {
    await expect(parseUploadRequest(bytes, version)).rejects.toThrow(
      "The body is not a valid request of git's protocol.",
    );
  });
});
