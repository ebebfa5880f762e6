import { describe, expect, it } from "vitest";
import { flushPacket, parseUploadRequest, toPacket } from "../../src/domain/pkt-line.ts";

const a = "a".repeat(40);
const b = "b".repeat(40);
const delimiter = Buffer.from("0001");

describe("a request to upload-pack", () => {
  it("names what is wanted in protocol version 2", () => {
    const packets = [
      toPacket("command=fetch\n"),
      delimiter,
      toPacket(`want ${a}\n`),
      toPacket(`have ${b}`),
      flushPacket,
    ];
    expect(parseUploadRequest(Buffer.concat(packets)).wants).toEqual(new Set([a]));
  });

  it("names what is wanted before it", () => {
    const packets = [
      toPacket(`want ${a} ofs-delta agent=x\n`),
      toPacket(`want ${b}\n`),
      flushPacket,
      toPacket("done\n"),
    ];
    expect(parseUploadRequest(Buffer.concat(packets)).wants).toEqual(new Set([a, b]));
  });

  it("is read as git reads it: digits in either case, and nothing after them", () => {
    const packets = [toPacket(`want ${a.toUpperCase()}x`), toPacket(`want ${b}\0 no`)];
    const bytes = Buffer.concat(packets);
    bytes.write(bytes.toString("latin1", 0, 4).toUpperCase(), 0, "latin1");
    expect(parseUploadRequest(bytes).wants).toEqual(new Set([a, b]));
  });

  it("is for references alone when it names no object", () => {
    const isForRefs = (...lines: readonly string[]) =>
      parseUploadRequest(Buffer.concat([...lines.map(toPacket), flushPacket])).isForRefs;
    expect(isForRefs("command=ls-refs\n", "peel\n")).toBe(true);
    expect(isForRefs("command=ls-refs", `want ${a}\n`)).toBe(false);
    expect(isForRefs("command=ls-refs", `shallow ${a}\n`)).toBe(false);
    expect(isForRefs("command=ls-refs", "command=fetch")).toBe(false);
    expect(isForRefs("command=fetch")).toBe(false);
    expect(isForRefs()).toBe(false);
  });

  it("goes on without the shallow commits that it must not name, and is otherwise the same bytes", () => {
    const packets = [
      toPacket(`want ${a}\n`),
      toPacket(`shallow ${a}\n`),
      toPacket(`shallow ${b}\n`),
      flushPacket,
    ];
    const request = parseUploadRequest(Buffer.concat(packets));
    expect(request.shallows).toEqual(new Set([a, b]));
    expect(request.withoutShallows(new Set())).toEqual(Buffer.concat(packets));
    const without = packets.filter((_, i) => i !== 2);
    expect(request.withoutShallows(new Set([...request.shallows].slice(1)))).toEqual(Buffer.concat(without));
  });

  it.each<[string, Uint8Array]>([
    ["a length that is none", Buffer.from("00zz")],
    ["a length with a sign", Buffer.from("+00fxxxxxxxxxxx")],
    ["half a length", Buffer.from("00")],
    ["less than announced", Buffer.from("0009don")],
    ["a command that is not served", toPacket("command=object-info\n")],
    ["a command with more behind it", toPacket("command=fetch\0\n")],
    ["a want without a name", toPacket("want \n")],
    ["a want of a short name", toPacket(`want ${a.slice(1)}\n`)],
    ["a shallow of a word", toPacket("shallow main\n")],
  ])("is refused with %s", (_, bytes) => {
    expect(() => parseUploadRequest(bytes)).toThrow("The body is no request of git's protocol.");
  });
});
