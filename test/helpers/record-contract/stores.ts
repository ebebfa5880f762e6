/** What every record promises of teams, tokens, sessions and mirrors that several servers change at the same time. */
import { beforeEach, describe, expect, it } from "vitest";
import { isFailure } from "../../../src/domain/errors.ts";
import { toMirrorUrl } from "../../../src/domain/hives/mirror-url.ts";
import { toHiveSlug, toPersonId, toTeamName } from "../../../src/domain/names.ts";
import { authenticate } from "../../../src/service/access.ts";
import { addMirror } from "../../../src/service/admin/mirrors.ts";
import { createTeam, updateTeam } from "../../../src/service/admin/teams.ts";
import { listTokens, revokeToken } from "../people/tokens.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { makeHive, makeToken } from "../storage.ts";
import type { MakeRecord } from "./record-contract.ts";

const acme = toTeamName("acme");
const web = toHiveSlug("web");
const ada = toPersonId("ada");

export function describeStores(make: MakeRecord): void {
  describe("stores", () => {
    let here: Storage;
    let servers: readonly Storage[];

    beforeEach(async () => {
      const record = await make();
      here = openStorage(record.open());
      servers = [here, openStorage(record.open())];
      await makeHive(here, "web", { locales: ["fr"] });
      await refresh();
    });

    const refresh = () => Promise.all(servers.map((server) => server.record.refresh("all")));

    /** Runs a function on all servers at the same time, several times. */
    async function everywhere<T>(
      run: (server: Storage, number: number) => Promise<T>,
    ): Promise<readonly T[]> {
      const all = await Promise.all(
        Array.from({ length: 2 * servers.length }, (_, i) => run(servers[i % servers.length] ?? here, i)),
      );
      await refresh();
      return all;
    }

    it("keep each Hive of a team", async () => {
      await everywhere((server, i) => makeHive(server, `hive-${i}`, { locales: ["fr"] }));
      const hives = ["hive-0", "hive-1", "hive-2", "hive-3", "web"];
      for (const { registry } of servers) {
        expect((await registry.team(acme))?.hives.toSorted()).toEqual(hives);
      }
    });

    it("give one name to one", async () => {
      const made = await everywhere((server) =>
        createTeam(server, toTeamName("rival"), 5).then(
          () => "made",
          (error: unknown) => (isFailure(error, "conflict") ? "refused" : error),
        ),
      );
      expect(made.toSorted()).toEqual(["made", "refused", "refused", "refused"]);
    });

    it("keep a change of a team that came while a Hive was added", async () => {
      await everywhere(async (server, i) => {
        if (i === 0) await updateTeam(server, acme, { maxStrings: 7_000 });
        else await makeHive(server, `hive-${i}`);
      });
      for (const { registry } of servers) {
        const { maxStrings, hives } = (await registry.team(acme)) ?? {};
        expect([maxStrings, hives?.length]).toEqual([7_000, 4]);
      }
    });

    it("know a token as soon as it is made, and no longer than until it is revoked", async () => {
      const tokens = await everywhere((server) => makeToken(server));
      for (const server of servers) {
        for (const token of tokens) expect((await authenticate(server, token)).team.name).toBe(acme);
      }
      const stored = await listTokens(here);
      expect(stored.length).toBe(tokens.length);
      await everywhere(async (server, i) => {
        const id = stored[i]?.id;
        if (id !== undefined) await revokeToken(server, id);
      });
      for (const server of servers) {
        expect(await listTokens(server)).toEqual([]);
        for (const token of tokens) {
          await expect(authenticate(server, token)).rejects.toSatisfy((error) =>
            isFailure(error, "unauthenticated"),
          );
        }
      }
    });

    it("keep each session of a person", async () => {
      const now = Date.now();
      const [began, ends] = [now, now + 60_000].map((time) => new Date(time).toISOString());
      await everywhere((server, i) =>
        server.personSessions.change(ada, now, (before) => [
          ...before,
          { id: `s${i}`, began: `${began}`, ends: `${ends}`, method: "password", browser: "x" },
        ]),
      );
      for (const server of servers) {
        const ids = server.personSessions.of(ada, now).map(({ id }) => id);
        expect(ids.toSorted()).toEqual(["s0", "s1", "s2", "s3"]);
      }
    });

    it("make one key of sessions", async () => {
      const keys = await everywhere((server) => server.sessionKey.readOrCreate());
      const all = [...keys, ...servers.map((server) => server.sessionKey.read())];
      expect(new Set(all.map((key) => key?.toString("hex"))).size).toBe(1);
    });

    it("keep each mirror of a Hive", async () => {
      const urls = Array.from({ length: 4 }, (_, i) => toMirrorUrl(`https://git.example/${i}.git`));
      await everywhere(async (server, i) => {
        const url = urls[i];
        if (url !== undefined) await addMirror(server, web, url);
      });
      for (const { mirrors } of servers) {
        expect(
          mirrors.lists
            .read(web)
            .map(({ url }) => url)
            .toSorted(),
        ).toEqual(urls);
      }
    });

    it("give a program's token out once", async () => {
      const now = here.now();
      const request = { user: "ABCDEFGH", place: "x", name: "", ends: now + 60_000 };
      await everywhere((server, i) =>
        server.deviceCodes.update((before) => [...before, { ...request, device: `${i}`.repeat(64) }]),
      );
      const taken = await everywhere((server, i) => {
        const device = `${i % 2}`.repeat(64);
        let count = 0;
        const take = server.deviceCodes.update((before) => {
          count = before.filter((one) => one.device === device).length;
          return before.filter((one) => one.device !== device);
        });
        return take.then(() => count);
      });
      expect(taken.toSorted()).toEqual([0, 0, 1, 1]);
      for (const server of servers) expect((await server.deviceCodes.read()).length).toBe(2);
    });
  });
}
