/** Pushes that no honest client sends, drawn at random by fast-check. Each is made from one that would be accepted. */
import fc from "fast-check";
import { flushPacket, toPacket } from "../../../src/git/serve/pkt-line.ts";
import {
  flipped,
  nowhere,
  pick,
  pushing,
  soundChange,
  type HostilePush,
  type Source,
} from "./hostile-change.ts";
import { packObjects } from "./packs.ts";
import { pushOf } from "./pushes.ts";
import { hostileCommits, hostileTrees } from "./hostile-objects.ts";
import { bombs, damagedPack, hostileDeltas, withMore } from "./hostile-packs.ts";

/** Refs that are no branches, and many at once. */
function hostileRefs(source: Source): HostilePush {
  const { draw, base, ref } = source;
  const objects = soundChange(source);
  const after = objects.at(-1)?.oid ?? "";
  const pack = packObjects(objects);
  const refs = [
    "refs/tags/v9",
    "HEAD",
    "main",
    "refs/heads/",
    "refs/heads/..",
    "refs/heads/../x",
    "refs/heads/a..b",
    "../../config",
    "refs/heads/x.lock",
    "refs/heads/.x",
    "refs/heads/-x",
    "refs/heads/x/",
    "refs/heads//x",
    "refs/heads/x~1",
    "refs/heads/HEAD",
    "refs/heads/@{0}",
    "refs/heads/x y",
    "refs/heads/x\\y",
    "refs/heads/\u202ex",
    "refs/heads/x\t",
    "refs/skep/deleted/1/x",
    "refs/replace/x",
    "refs/remotes/a/b",
    "refs/notes/commits",
    "REFS/HEADS/x",
    "refs/headsx",
    "refs/heads/aux",
    "refs/heads/main/x",
    "refs/heads/MAIN",
    "config",
    "objects/x",
    `refs/heads/${"x".repeat(300)}`,
  ];
  const commands = pick<() => Parameters<typeof pushOf>[0]>(draw, [
    () => [{ after, ref: pick(draw, refs) }],
    () => [{ after, ref: pick(draw, refs) }],
    () => [{ after, ref: pick(draw, refs) }],
    () => [{ before: base.main, ref: pick(draw, ["refs/heads/main", ref, ...refs]) }],
    () => [{ before: nowhere, after, ref: pick(draw, ["refs/heads/main", ref]) }],
    () => [{ before: base.hidden, after, ref: "refs/heads/main" }],
    () => [{ after: pick(draw, [base.hidden, nowhere, objects[0]?.oid ?? ""]), ref }],
    () => [{ ref }],
    () =>
      Array.from({ length: draw(fc.integer, { min: 2, max: 30 }) }, (_, i) => ({
        after,
        ref: `${ref}-${i}`,
      })),
    () => [
      { after, ref },
      { after, ref },
    ],
    () => [
      { after, ref },
      { before: base.main, ref: "refs/heads/main" },
    ],
  ])();
  // Of several branches each is taken by itself, as long as they are not too many.
  return { body: pushOf(commands, pack), maySucceed: commands.length > 1 && commands.length <= 20 };
}

/** Packet lines that are none, or that ask for what is not offered. */
function hostileLines(source: Source): HostilePush {
  const { draw, ref } = source;
  const objects = soundChange(source);
  const after = objects.at(-1)?.oid ?? "";
  const pack = packObjects(objects);
  const none = "0".repeat(40);
  const command = `${none} ${after} ${ref}`;
  const body = pushing(objects, ref);
  const start = body.length - pack.length;
  const lines = (...all: readonly string[]): Buffer =>
    Buffer.concat([...all.map((line) => toPacket(line)), flushPacket, pack]);
  const head = (text: string): Buffer => Buffer.concat([Buffer.from(text), body.subarray(4)]);
  const isLucky = draw(fc.nat, { max: 4 }) === 0;
  if (isLucky) return { body: flipped(draw, body, 4, start - 4), maySucceed: true };
  const made = pick(draw, [
    () => body.subarray(0, draw(fc.integer, { min: 1, max: start - 1 })),
    () => head(pick(draw, ["0001", "0002", "0003", "0004", "fffe", "-001", "00 9", "\0\0\0\0", "0x10"])),
    () => Buffer.concat([flushPacket, body]),
    () => Buffer.concat([body.subarray(0, start - 4), pack]),
    () => Buffer.concat([Buffer.from(draw(fc.uint8Array, { minLength: 1, maxLength: 60 })), body]),
    () => lines(`${command}\0push-options`),
    () => lines(`${command}\0report-status object-format=sha256`),
    () => lines(`${command}\0report-status\0report-status`),
    () => lines("push-cert\0report-status", "certificate version 0.1"),
    () => lines(`shallow ${after}x`, command),
    () => lines(...Array.from({ length: 10_002 }, () => `shallow ${after}`)),
    () => lines(command.slice(1)),
    () => lines(`${none} ${after}  `),
    () => lines(`${none} ${after}`),
    () => lines(`${none}${after}${ref}`),
    () => lines(`${none} ${after.slice(1)}g ${ref}`),
    () => lines(command.replaceAll(" ", "\t")),
    () => lines(`${command}\u0000\u0000`),
  ])();
  return { body: made, maySucceed: false };
}

/** Every kind of hostile push by name, and how many of them there are in a thousand. */
export const hostilePushes: readonly (readonly [
  name: string,
  share: number,
  make: (source: Source) => HostilePush,
])[] = [
  ["damaged packs", 300, damagedPack],
  ["hostile differences", 160, hostileDeltas],
  ["bombs", 120, bombs],
  ["hostile trees", 130, hostileTrees],
  ["hostile commits", 110, hostileCommits],
  ["hostile refs", 60, hostileRefs],
  ["hostile packet lines", 100, hostileLines],
  ["objects that nothing needs", 20, withMore],
];
