import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flushPacket, toPacket } from "../../../src/git/serve/pkt-line.ts";
import {
  advertisePush,
  formatPushReport,
  parsePushRequest,
  type PushCommand,
} from "../../../src/git/serve/push-request.ts";
import { isOid, type Oid } from "../../../src/domain/names.ts";

const a = toOid("a".repeat(40));
const b = toOid("b".repeat(40));
const none = "0".repeat(40);
const main = "refs/heads/main";

function toOid(text: string): Oid {
  if (!isOid(text)) throw new Error("not an object name");
  return text;
}

function requestOf(lines: readonly string[], pack = ""): Buffer {
  return Buffer.concat([...lines.map(toPacket), flushPacket, Buffer.from(pack)]);
}

describe("a request to push", () => {
  it("has commands, the capabilities of the client, and a pack", () => {
    const lines = [
      `${a} ${b} ${main}\0 report-status side-band-64k agent=git/2.39.5`,
      `${none} ${a} refs/tags/v1\n`,
    ];
    expect(parsePushRequest(requestOf(lines, "PACK..."))).toEqual({
      commands: [
        { before: a, after: b, ref: main },
        { before: undefined, after: a, ref: "refs/tags/v1" },
      ],
      reportFormat: { report: true, sideBand: true, atomic: false },
      pack: Buffer.from("PACK..."),
    });
  });

  it("may come from a shallow clone, whose ends do not matter", () => {
    const request = parsePushRequest(requestOf([`shallow ${a}`, `shallow ${b}\n`, `${a} ${none} ${main}\0`]));
    expect(request?.commands).toEqual([{ before: a, after: undefined, ref: main }]);
    expect(request?.reportFormat).toEqual({ report: false, sideBand: false, atomic: false });
  });

  it("without commands is what git sends to find out whether it may push", () => {
    expect(parsePushRequest(flushPacket)).toBeUndefined();
  });

  it.each<[string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["no end of the commands", Buffer.concat([toPacket(`${a} ${b} ${main}\0`)])],
    ["a pack without commands", requestOf([], "PACK")],
    ["a line that is cut off", Buffer.from(`00ff${a} ${b}`)],
    ["another separator", Buffer.concat([toPacket(`${a} ${b} ${main}\0`), Buffer.from("0001")])],
    ["capabilities twice", requestOf([`${a} ${b} ${main}\0`, `${a} ${b} refs/heads/x\0quiet`])],
    ["a short name of an object", requestOf([`${a.slice(1)} ${b} ${main}\0`])],
    ["no name of a ref", requestOf([`${a} ${b} \0`])],
    [
      "a name that is no UTF-8",
      Buffer.concat([
        Buffer.from(`0069${a} ${b} refs/heads/`),
        Buffer.from([0xff, 0, 0x20, 0x20, 0x20]),
        flushPacket,
      ]),
    ],
    ["a shallow line behind a command", requestOf([`${a} ${b} ${main}\0`, `shallow ${a}`])],
    ["a signed push", requestOf([`push-cert\0report-status`, "certificate version 0.1\n"])],
    ["push options, which were not offered", requestOf([`${a} ${b} ${main}\0push-options`])],
    ["another kind of object names", requestOf([`${a} ${b} ${main}\0object-format=sha256`])],
    ["very many lines", requestOf(Array.from({ length: 10_001 }, () => `shallow ${a}`))],
  ])("is refused with %s", (_, body) => {
    expect(() => parsePushRequest(body)).toThrow("not a valid request");
  });

  const oid = fc
    .stringMatching(/^[0-9a-f]{40}$/)
    .filter((text) => text !== none)
    .map(toOid);
  const command = fc.record<PushCommand>({
    before: fc.option(oid, { nil: undefined }),
    after: fc.option(oid, { nil: undefined }),
    ref: fc
      .string({ minLength: 1, maxLength: 200, unit: "grapheme" })
      .filter((text) => !/[\0\n]/.test(text) && !text.startsWith(" ")),
  });

  it("is read as it was written", () => {
    const requests = fc.tuple(fc.array(command, { minLength: 1, maxLength: 20 }), fc.string());
    fc.assert(
      fc.property(requests, ([commands, pack]) => {
        const lines = commands.map(
          ({ before = none, after = none, ref }, i) =>
            `${before} ${after} ${ref}${i === 0 ? "\0report-status" : ""}\n`,
        );
        const request = parsePushRequest(requestOf(lines, pack));
        expect(request?.commands).toEqual(commands);
        expect(Buffer.from(request?.pack ?? []).toString()).toBe(pack);
      }),
    );
  });

  it("that was damaged anywhere is read or refused, and nothing else", () => {
    const whole = requestOf(
      [`shallow ${a}\n`, `${a} ${b} ${main}\0report-status\n`, `${none} ${a} refs/heads/x\n`],
      "PACK",
    );
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, byte, length) => {
        const damaged = Buffer.from(whole.subarray(0, length));
        if (at < length) damaged[at] = byte;
        try {
          parsePushRequest(damaged);
        } catch (error) {
          expect(error).toMatchObject({ code: "malformed" });
        }
      }),
    );
  });
});

describe("the answers to a push", () => {
  it("the refs of a Hive are told with what the server understands", () => {
    const told = String(
      advertisePush(
        new Map([
          ["main", a],
          ["x", b],
        ]),
      ),
    );
    expect(told).toMatch(/^001f# service=git-receive-pack\n0000/);
    expect(told).toContain(`${a} ${main}\0report-status delete-refs side-band-64k`);
    expect(told.endsWith(`${String(toPacket(`${b} refs/heads/x\n`))}0000`)).toBe(true);
    expect(told).not.toMatch(/push-options|push-cert|status-v2/);
    expect(String(advertisePush(new Map()))).toContain(`${none} capabilities^{}\0`);
  });

  it("the result is told in one line for each ref, and messages beside it", () => {
    const results = [{ ref: main }, { ref: "refs/heads/x", refused: "two\nlines\u001b[31m" }];
    const plain = String(formatPushReport({ report: true, sideBand: false }, results, ["lost"]));
    expect(plain).toBe(
      `000eunpack ok\n0017ok ${main}\n${String(toPacket("ng refs/heads/x two lines [31m\n"))}0000`,
    );
    const banded = formatPushReport({ report: true, sideBand: true }, results, ["a\u202eb", "c"]);
    expect(String(banded)).toContain(`\u0002a b\nc\n`);
    expect(String(banded)).toContain(`\u0001${plain}`);
    expect(String(formatPushReport({ report: false, sideBand: false }, results, []))).toBe("");
  });

  it("long messages are cut into packets that git accepts", () => {
    const banded = formatPushReport({ report: true, sideBand: true }, [], ["x".repeat(200_000)]);
    const lengths: number[] = [];
    for (let at = 0; at < banded.length;) {
      const length = Number.parseInt(banded.toString("latin1", at, at + 4), 16);
      lengths.push(length);
      at += length || 4;
    }
    expect(Math.max(...lengths)).toBeLessThanOrEqual(65_520);
    expect(lengths.at(-1)).toBe(0);
  });
});
