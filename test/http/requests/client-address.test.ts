import { describe, expect, it } from "vitest";
import { networks } from "../../../src/config/kinds.ts";
import { clientAddress } from "../../../src/http/requests/client-address.ts";
import { toTeamName } from "../../../src/domain/names.ts";
import { listen } from "../../../src/http/server.ts";
import { createTeam } from "../../../src/service/admin/teams.ts";
import { appOn, makeToken, memoryStorage } from "../../helpers/storage.ts";

const local = networks("loopback, 10.0.0.0/8,2001:db8:1::/48");

describe("the client's address", () => {
  it.each([
    ["nobody is forwarded", "203.0.113.9", undefined, "203.0.113.9"],
    ["an untrusted client claims to be another", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["a trusted proxy forwards", "127.0.0.1", "198.51.100.1", "198.51.100.1"],
    [
      "a client claims something before a trusted proxy",
      "127.0.0.1",
      "1.1.1.1, 198.51.100.1",
      "198.51.100.1",
    ],
    ["there are two trusted proxies", "127.0.0.1", "1.1.1.1,198.51.100.1, 10.2.3.4", "198.51.100.1"],
    ["all are trusted", "127.0.0.1", "10.0.0.1, 10.0.0.2", "10.0.0.1"],
    ["the socket is IPv6 for IPv4", "::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["everything is IPv6", "::1", "2001:db8::7, 2001:db8:1::2", "2001:db8::7"],
    ["ports are given", "127.0.0.1", "198.51.100.1:5001, [2001:db8:1::2]:443", "198.51.100.1"],
    ["the header holds no address", "127.0.0.1", "unknown", "127.0.0.1"],
    ["garbage stands before an address", "127.0.0.1", "\u001b[31m, 10.0.0.1", "10.0.0.1"],
    ["the header is empty", "127.0.0.1", "", "127.0.0.1"],
  ])("is found when %s", (_, peer, forwarded, expected) => {
    expect(clientAddress(peer, forwarded, local)).toBe(expected);
  });

  it("ignores the header when no proxy is trusted", () => {
    expect(clientAddress("127.0.0.1", "198.51.100.1", undefined)).toBe("127.0.0.1");
  });
});

describe("an unexpected error", () => {
  it.each([
    ["no proxy is trusted", undefined, "127.0.0.1"],
    ["the proxy is trusted", local, "198.51.100.1"],
  ])("is logged with the client's address when %s", async (_, trustProxy, client) => {
    const storage = memoryStorage();
    await createTeam(storage, toTeamName("acme"), undefined);
    const token = await makeToken(storage);
    storage.registry.token = () => Promise.reject(new Error("broken"));
    const { app, logged } = appOn(storage, { trustProxy });
    const server = await listen(app, { host: "127.0.0.1", port: 0 });
    const headers = { authorization: `Bearer ${token}`, "x-forwarded-for": "198.51.100.1" };
    const response = await fetch(`${server.url}/api/hives/web/strings`, { headers });
    expect(response.status).toBe(500);
    await response.text();
    await server.close();
    expect(logged).toMatchObject([{ client, message: "unexpected error" }]);
  });
});
