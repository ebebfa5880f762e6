/** Packs that no git makes, drawn at random. */
import fc from "fast-check";
import { toGitObject, type GitObject } from "../../../src/git/objects/git-object.ts";
import {
  commitOf,
  entryOf,
  flipped,
  hiddenText,
  nowhere,
  pick,
  pushing,
  soundChange,
  who,
  type HostilePush,
  type Source,
} from "./hostile-change.ts";
import {
  blobType,
  commitType,
  deltaEntry,
  deltaNumber,
  entryHeader,
  packEntry,
  packObjects,
  packWith,
  sealed,
  tagType,
  toName,
  toOffset,
  treeType,
} from "./packs.ts";

/** A pack that was damaged on the way, or that lies about what it has. */
export function damagedPack(source: Source): HostilePush {
  const { draw, ref } = source;
  const objects = soundChange(source);
  const pack = packObjects(objects);
  const content = pack.subarray(0, -20);
  const bytes = (): Uint8Array => draw(fc.uint8Array, { minLength: 1, maxLength: 100 });
  const cut = (from: Uint8Array): Uint8Array => from.subarray(0, draw(fc.nat, { max: from.length - 1 }));
  const withNumber = (at: number, numbers: readonly number[]): Buffer => {
    const other = Buffer.from(content);
    other.writeUInt32BE(pick(draw, numbers), at);
    return sealed(other);
  };
  const counts = [0, 1, objects.length - 1, objects.length + 1, 900, 2 ** 31, 2 ** 32 - 1];
  const isLucky = draw(fc.nat, { max: 9 }) === 0;
  const made = isLucky
    ? // Some bits of what is deflated say nothing.
      sealed(flipped(draw, content, 12, content.length))
    : pick(draw, [
        () => cut(pack),
        () => sealed(cut(content)),
        () => flipped(draw, pack, 0, pack.length),
        () => flipped(draw, pack, content.length, pack.length),
        () => Buffer.concat([pack, bytes()]),
        () => sealed(Buffer.concat([content, bytes()])),
        () => Buffer.concat([pack, pack]),
        () => withNumber(8, counts),
        () => withNumber(4, [0, 1, 4, 2 ** 31]),
        bytes,
        () => new Uint8Array(),
      ])();
  return { body: pushing(objects, ref, made), maySucceed: isLucky };
}

/** Differences that lead nowhere, in circles, or to more than there is. */
export function hostileDeltas(source: Source): HostilePush {
  const { draw, base, ref } = source;
  const objects = soundChange(source);
  const whole = objects.map((object) => entryOf(object));
  const text = Buffer.from("a".repeat(draw(fc.integer, { min: 20, max: 200 })));
  const blob = (content: Uint8Array): GitObject => toGitObject("blob", content);
  const delta = (from: number, to: number, ...rest: readonly number[]): Buffer =>
    Buffer.concat([deltaNumber(from), deltaNumber(to), Buffer.from(rest)]);
  const copy = (length: number): readonly number[] => [0x90, length];
  const good = delta(text.length, 5, ...copy(5));
  const named = (oid: string, how: Uint8Array): Buffer => deltaEntry(toName, Buffer.from(oid, "hex"), how);
  const back = (bytes: readonly number[], how = good): Buffer =>
    deltaEntry(toOffset, Buffer.from(bytes), how);
  const own = packEntry(blobType, text);
  const wrong = (how: Uint8Array): readonly Buffer[] => [own, named(blob(text).oid, how)];
  const one = blob(Buffer.concat([text, Buffer.from("1")]));
  const other = blob(Buffer.concat([text, Buffer.from("2")]));
  const circle = delta(text.length + 1, text.length + 1, ...copy(text.length), 1, 49);
  const entries = pick<() => readonly Buffer[]>(draw, [
    () => [named(nowhere, good)],
    () => [named(base.hidden, delta(hiddenText.length, 5, ...copy(5)))],
    () => [back([0])],
    () => [back([pick(draw, [1, 5, 11, 127])])],
    () => [back([0xff, 0xff, 0x7f])],
    () => [own, back([draw(fc.nat, { max: own.length - 1 })])],
    () => wrong(delta(text.length + draw(fc.integer, { min: 1, max: 9 }), 5, ...copy(5))),
    () => wrong(delta(text.length, 6, ...copy(5))),
    () => wrong(delta(text.length, 2 ** pick(draw, [20, 31, 40, 52]), ...copy(5))),
    () => wrong(delta(text.length, 5, 0x91, text.length, 5)),
    () => wrong(delta(text.length, 5, 0)),
    () => wrong(delta(text.length, 5, 0x90)),
    () => wrong(delta(text.length, 5, 5, 65)),
    () => wrong(new Uint8Array()),
    () => wrong(Buffer.alloc(20, 0xff)),
    () => [named(one.oid, circle), named(other.oid, circle)],
    () => [named(one.oid, circle)],
    () => [named(objects.at(-1)?.oid ?? "", good)],
  ])();
  return { body: pushing(objects, ref, packWith([...whole, ...entries])), maySucceed: false };
}

let bomb: readonly [large: Buffer, many: Buffer] | undefined;

/** Packs that are small, or say so, and hold very much. */
export function bombs(source: Source): HostilePush {
  const { draw, ref } = source;
  const objects = soundChange(source);
  const whole = objects.map((object) => entryOf(object));
  const [large, part] = (bomb ??= [
    packEntry(blobType, Buffer.alloc(17 * 1024 * 1024)),
    packEntry(blobType, Buffer.alloc(1024 * 1024)),
  ]);
  const size = 2 ** draw(fc.integer, { min: 24, max: 52 });
  const type = pick(draw, [commitType, treeType, blobType, tagType, toOffset, toName, 0, 5]);
  const pack = pick(draw, [
    () => packWith([...whole, large]),
    () => packWith([...whole, ...Array.from({ length: 17 }, () => part)]),
    () => packWith([...whole, packEntry(type, Buffer.from("x"), size)]),
    () => packWith([...whole, entryHeader(type, size)]),
    () => packWith([...whole, Buffer.concat([entryHeader(blobType, 10), large.subarray(4)])]),
    () => packWith(whole, draw(fc.integer, { min: 1_001, max: 2 ** 32 - 1 })),
    () =>
      packWith([
        ...whole,
        ...Array.from({ length: 1_000 }, (_, i) => packEntry(blobType, Buffer.from(`${i}`))),
      ]),
  ])();
  return { body: pushing(objects, ref, pack), maySucceed: false };
}

/** What comes with a sound change, and must not stay. */
export function withMore(source: Source): HostilePush {
  const { draw, base, ref } = source;
  const objects = soundChange(source);
  const more = pick<() => readonly GitObject[]>(draw, [
    () => objects,
    () => [toGitObject("blob", draw(fc.uint8Array, { maxLength: 100 }))],
    () => [toGitObject("tag", `object ${base.main}\ntype commit\ntag v9\ntagger ${who}\n\nx\n`)],
    () => [commitOf(base, base.folders[0]?.[0]?.oid ?? "")],
    () => Array.from({ length: 200 }, (_, i) => toGitObject("blob", `${i}`)),
  ])();
  return { body: pushing(objects, ref, packObjects([...more, ...objects])), maySucceed: true };
}
