import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  blobType,
  deltaEntry,
  deltaNumber,
  entryHeader,
  packEntry,
  packWith,
  toName,
  toOffset,
} from "../../helpers/git/packs.ts";
import { checkPack } from "../../../src/git/serve/check-pack.ts";

const room = { objects: 100, bytes: 1_000_000, fileBytes: 1_000_000 };

/** A blob, and the size that it says it has. */
function entry(content: Buffer, size = content.length): Buffer {
  return packEntry(blobType, content, size);
}

function delta(type: number, base: Buffer, makes: number): Buffer {
  return deltaEntry(type, base, Buffer.concat([deltaNumber(5), deltaNumber(makes), Buffer.from([0x90, 5])]));
}

describe("the size of a pack", () => {
  it("is that of its objects, however they are stored", async () => {
    const contents = fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(contents, fc.nat(10), async (all, less) => {
        const total = all.reduce((sum, one) => sum + one.length, 0);
        const pack = packWith(all.map((one) => entry(Buffer.from(one))));
        await checkPack(pack, { ...room, objects: all.length, bytes: total });
        if (less === 0 || total < less) return;
        await expect(checkPack(pack, { ...room, bytes: total - less })).rejects.toMatchObject({
          code: "too-large",
        });
      }),
    );
  });

  it.each<[string, Buffer]>([
    ["very many objects, of which it has none", packWith([], 2 ** 32 - 1)],
    ["an object that unpacks to very much", packWith([entry(Buffer.alloc(2_000_000))])],
    [
      "many objects that unpack to very much together",
      packWith(Array.from({ length: 50 }, () => entry(Buffer.alloc(30_000)))),
    ],
    [
      "a difference to an object before that makes very much",
      packWith([entry(Buffer.from("hello")), delta(toOffset, Buffer.from([14]), 2 ** 31)]),
    ],
    [
      "a difference to an object elsewhere that makes very much",
      packWith([delta(toName, Buffer.alloc(20, 1), 2_000_000)]),
    ],
    [
      "a size beyond all numbers",
      packWith([Buffer.concat([entryHeader(blobType, 2 ** 52), deflateSync("x")])]),
    ],
  ])("is refused with %s", async (_, pack) => {
    await expect(checkPack(pack, room)).rejects.toMatchObject({ code: "too-large" });
  });

  it.each<[string, Buffer]>([
    ["no pack", Buffer.from("PACK")],
    ["another file", Buffer.alloc(40)],
    ["fewer objects than it says", packWith([entry(Buffer.from("a"))], 2)],
    ["more than it says", packWith([entry(Buffer.from("a")), entry(Buffer.from("b"))], 1)],
    ["an object longer than it says", packWith([entry(Buffer.from("hello"), 3)])],
    ["an object shorter than it says", packWith([entry(Buffer.from("hello"), 30)])],
    ["an object of no type", packWith([Buffer.concat([entryHeader(0, 1), deflateSync("x")])])],
    [
      "what is not deflated",
      packWith([Buffer.concat([entryHeader(blobType, 5), Buffer.from("hello, world")])]),
    ],
    ["a number without end", packWith([Buffer.alloc(30, 0xff)])],
    [
      "a difference without content",
      packWith([Buffer.concat([entryHeader(toOffset, 0), Buffer.from([14]), deflateSync("")])]),
    ],
  ])("cannot be told of %s", async (_, pack) => {
    await expect(checkPack(pack, room)).rejects.toMatchObject({ code: "malformed" });
  });

  it("cannot be told of a pack that ends anywhere too early", async () => {
    const entries = [
      entry(Buffer.from("hello")),
      delta(toOffset, Buffer.from([14]), 5),
      delta(toName, Buffer.alloc(20, 1), 5),
    ];
    for (const [i, last] of entries.entries()) {
      const before = packWith(entries.slice(0, i)).subarray(0, -20);
      const whole = Buffer.concat([before, last]);
      whole.writeUInt32BE(i + 1, 8);
      for (let end = before.length; end < whole.length; end++) {
        for (const trailer of [Buffer.alloc(0), Buffer.alloc(20)]) {
          const pack = Buffer.concat([whole.subarray(0, end), trailer]);
          await expect(checkPack(pack, room), `${i}: ${end}`).rejects.toMatchObject({ code: "malformed" });
        }
      }
    }
  });

  it("is checked without unpacking what is beyond the limit", async () => {
    const bomb = entry(Buffer.alloc(64 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(100_000);
    await expect(checkPack(packWith([bomb]), room)).rejects.toMatchObject({ code: "too-large" });
    // It says that it is small.
    const liar = Buffer.concat([entryHeader(blobType, 10), bomb.subarray(4)]);
    await expect(checkPack(packWith([liar]), room)).rejects.toMatchObject({ code: "malformed" });
  });

  it("the size of a large object is told, too", async () => {
    const pack = packWith([entry(Buffer.alloc(900_000, "abc"))]);
    expect((await checkPack(pack, room)).bytes).toBe(pack);
  });
});
