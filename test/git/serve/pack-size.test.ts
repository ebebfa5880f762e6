import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkPackSize } from "../../../src/git/serve/pack-size.ts";

const room = { objects: 100, bytes: 1_000_000 };
const [blob, toOffset, toName] = [3, 6, 7];

/** The size of an object with its type, or a number, in pieces of seven bits. */
function header(type: number, size: number): Buffer {
  const bytes = [((type << 4) | (size & 15)) >>> 0];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}

function number(value: number): Buffer {
  const bytes = [value & 127];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}

function packOf(entries: readonly Buffer[], count = entries.length): Buffer {
  const start = Buffer.from("PACK\0\0\0\u0002\0\0\0\0", "latin1");
  start.writeUInt32BE(count, 8);
  return Buffer.concat([start, ...entries, Buffer.alloc(20)]);
}

function entry(content: Buffer, size = content.length): Buffer {
  return Buffer.concat([header(blob, size), deflateSync(content)]);
}

function delta(type: number, base: Buffer, makes: number): Buffer {
  const content = Buffer.concat([number(5), number(makes), Buffer.from([0x90, 5])]);
  return Buffer.concat([header(type, content.length), base, deflateSync(content)]);
}

describe("the size of a pack", () => {
  it("the size of a pack is that of its objects, however they are stored", async () => {
    const contents = fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(contents, fc.nat(10), async (all, less) => {
        const total = all.reduce((sum, one) => sum + one.length, 0);
        const pack = packOf(all.map((one) => entry(Buffer.from(one))));
        await checkPackSize(pack, { objects: all.length, bytes: total });
        if (less === 0 || total < less) return;
        await expect(checkPackSize(pack, { objects: 10, bytes: total - less })).rejects.toMatchObject({
          code: "too-large",
        });
      }),
    );
  });

  it.each<[string, Buffer]>([
    ["very many objects, of which it has none", packOf([], 2 ** 32 - 1)],
    ["an object that unpacks to very much", packOf([entry(Buffer.alloc(2_000_000))])],
    [
      "many objects that unpack to very much together",
      packOf(Array.from({ length: 50 }, () => entry(Buffer.alloc(30_000)))),
    ],
    [
      "a difference to an object before that makes very much",
      packOf([entry(Buffer.from("hello")), delta(toOffset, Buffer.from([14]), 2 ** 31)]),
    ],
    [
      "a difference to an object elsewhere that makes very much",
      packOf([delta(toName, Buffer.alloc(20, 1), 2_000_000)]),
    ],
    ["a size beyond all numbers", packOf([Buffer.concat([header(blob, 2 ** 52), deflateSync("x")])])],
  ])("the size of a pack is refused with %s", async (_, pack) => {
    await expect(checkPackSize(pack, room)).rejects.toMatchObject({ code: "too-large" });
  });

  it.each<[string, Buffer]>([
    ["no pack", Buffer.from("PACK")],
    ["another file", Buffer.alloc(40)],
    ["fewer objects than it says", packOf([entry(Buffer.from("a"))], 2)],
    ["more than it says", packOf([entry(Buffer.from("a")), entry(Buffer.from("b"))], 1)],
    ["an object longer than it says", packOf([entry(Buffer.from("hello"), 3)])],
    ["an object shorter than it says", packOf([entry(Buffer.from("hello"), 30)])],
    ["an object of no type", packOf([Buffer.concat([header(0, 1), deflateSync("x")])])],
    ["what is not deflated", packOf([Buffer.concat([header(blob, 5), Buffer.from("hello, world")])])],
    ["a number without end", packOf([Buffer.alloc(30, 0xff)])],
    [
      "a difference without content",
      packOf([Buffer.concat([header(toOffset, 0), Buffer.from([14]), deflateSync("")])]),
    ],
  ])("the size of a pack cannot be told of %s", async (_, pack) => {
    await expect(checkPackSize(pack, room)).rejects.toMatchObject({ code: "malformed" });
  });

  it("the size of a pack is checked without unpacking what is beyond the limit", async () => {
    const bomb = entry(Buffer.alloc(64 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(100_000);
    await expect(checkPackSize(packOf([bomb]), room)).rejects.toMatchObject({ code: "too-large" });
    // It says that it is small.
    const liar = Buffer.concat([header(blob, 10), bomb.subarray(4)]);
    await expect(checkPackSize(packOf([liar]), room)).rejects.toMatchObject({ code: "malformed" });
  });

  it("the size of a large object is told, too", async () => {
    await expect(checkPackSize(packOf([entry(Buffer.alloc(900_000, "abc"))]), room)).resolves.toBeUndefined();
  });
});
