import { describe, expect, it } from "vitest";
import { formatAuditEntry, HourLimit } from "../../../src/domain/access/audit.ts";
import { networkOf } from "../../../src/domain/access/network.ts";

const hour = 60 * 60 * 1000;

describe("the limit of refusals", () => {
  it("lists some of each address, and says once an hour that there are more", () => {
    const limit = new HourLimit(2, 100);
    const count = (address: string, now = 0): string => limit.count(address, now);
    expect([count("a"), count("a"), count("a"), count("a")]).toEqual([
      "listed",
      "listed",
      "last",
      "left out",
    ]);
    expect([count("b"), count("a", hour)]).toEqual(["listed", "listed"]);
  });

  it("lists so many of all addresses together", () => {
    const limit = new HourLimit(100, 2);
    const counts = ["a", "b", "c", "d"].map((address) => limit.count(address, 0));
    expect(counts).toEqual(["listed", "listed", "last", "left out"]);
  });
});

describe("an entry", () => {
  const time = "2026-01-31T00:00:00.000Z";

  it("never holds a token, wherever one was put", () => {
    const token = `skep_abc_${"x".repeat(32)}`;
    const after = { name: token, [`a`]: [{ deep: `my ${token}` }] };
    const line = formatAuditEntry({ time, event: "token_created", reason: token, after });
    expect(line).not.toContain("xxxx");
    expect(JSON.parse(line)).toEqual({
      time,
      event: "token_created",
      reason: "***",
      after: { name: "***", a: [{ deep: "***" }] },
    });
  });

  it("names the first elements of a long list", () => {
    const hives = Array.from({ length: 10_000 }, (_, i) => `h${i}`);
    const { after } = JSON.parse(formatAuditEntry({ time, event: "token_created", after: { hives } }));
    expect([after.hives.length, after.hives.at(-1)]).toEqual([201, "and 9800 more"]);
  });
});

describe("the network of a client", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["", ""],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::6", "2001:db8:1:2::/64"],
    ["2001:db8::6", "2001:db8:0:0::/64"],
    ["2001:db8:1::", "2001:db8:1:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["::1:2:3:4:5", "0:0:0:1::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::192.0.2.7", "64:ff9b:0:0::/64"],
    ["1:2:3:4:5:6:192.0.2.7", "1:2:3:4::/64"],
  ])("of %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
