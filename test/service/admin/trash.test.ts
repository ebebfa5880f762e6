/** Deleted Hives: restored with everything, and gone when their time is up. */
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { isFailure } from "../../../src/domain/errors.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { parseTrashId, toTrashId } from "../../../src/domain/hives/trash.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { addMirror } from "../../../src/service/admin/mirrors.ts";
import { toMirrorUrl } from "../../../src/domain/hives/mirror-url.ts";
import { openLocalStorage, openStorage, type Storage } from "../../../src/service/storage.ts";
import { createTeam, updateTeam } from "../../../src/service/admin/teams.ts";
import { listTrash, purgeInBackground, purgeTrash, restoreHive } from "../../../src/service/admin/trash.ts";
import { verify } from "../../../src/service/operations/verify.ts";
import { hiveDeleted } from "../../../src/api/hives.ts";
import { trash } from "../../../src/api/team/team.ts";
import { git } from "../../helpers/process.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { copiedStorages, harness, makeHive, makeToken, type Call } from "../../helpers/storage.ts";
import fs from "node:fs";

const web = toHiveSlug("web");
const day = 86_400_000;
let now: number;
let folder: string;
let storage: Storage;
let call: Call;
const { post, fill, put, exported } = hiveAt(() => call);

const openIn = (where: string) => openStorage({ folder: where, disk: fs, now: () => now });
const copied = copiedStorages(async (where) => {
  const made = openIn(where);
  await makeHive(made, "web", { locales: ["fr"] });
  await makeHive(made, "theirs", { team: "rival" });
  const token = await makeToken(made, { abilities: ["admin"] });
  ({ call } = harness(made, token));
  await post({ "a.php": { a: "A", b: "B" } });
  await fill("fr", { "a.php": { a: "AA" } });
  await call("POST", "/api/hives/web/tags", { body: { name: "v1" } });
  return token;
});
beforeEach(async () => {
  now = Date.parse("2026-01-01T00:00:00Z");
  let token: string;
  [folder, token] = await copied({});
  storage = openIn(folder);
  ({ call } = harness(storage, token));
});

const list = async () =>
  trash.operations.listTrash.response.parse((await call("GET", "/api/trash")).json).data;
const restore = (entry = "web") => call("POST", `/api/trash/${entry}/restore`);
const trashed = () => fs.readdirSync(join(folder, "trash"));

async function problems(): Promise<string[]> {
  const found: string[] = [];
  for await (const { problem } of verify(openLocalStorage(folder), { repair: false })) found.push(problem);
  return found;
}

describe("a deleted Hive", () => {
  it("comes back with its texts, tags and history, and can be written to", async () => {
    const read = async () => {
      const paths = ["export", "strings", "tags", "history"].map((name) => `/api/hives/web/${name}`);
      return Promise.all(paths.map(async (path) => (await call("GET", path)).text));
    };
    const before = await read();
    const deleted = await call("DELETE", "/api/hives/web");
    expect(hiveDeleted.strict().parse(deleted.json)).toEqual({
      slug: "web",
      expires: "2026-01-31T00:00:00.000Z",
    });
    expect(await list()).toEqual([
      {
        id: "web.20260101T000000000Z",
        slug: "web",
        deleted: "2026-01-01T00:00:00.000Z",
        expires: "2026-01-31T00:00:00.000Z",
      },
    ]);
    const reply = await restore();
    expect([reply.status, reply.json]).toEqual([
      200,
      {
        slug: "web",
        name: "web",
        source_locale: "en",
        locales: ["fr"],
        max_deletions: null,
        plurals: "auto",
        push: "branches",
        engines: true,
        glossary: null,
        checks: { level: "warn", syntax: [{ files: "*.php", syntax: "laravel" }], formats: [] },
        string_count: 2,
      },
    ]);
    expect(await read()).toEqual(before);
    expect(await list()).toEqual([]);
    expect((await put({ "a.php": {} })).status).toBe(200);
    expect(await git(storage.hives.folderOf(web), "fsck", "--full", "--strict")).toBe("");
    expect(await problems()).toEqual([]);
  });

  it("does not come back to tokens that listed it, or to its mirrors", async () => {
    const token = await makeToken(storage, { hives: ["web"] });
    await addMirror(storage, web, toMirrorUrl("https://git.example.org/web.git"));
    await call("DELETE", "/api/hives/web");
    await restore();
    expect((await call("GET", "/api/hives/web/strings", { token })).status).toBe(404);
    expect(storage.mirrors.lists.read(web)).toEqual([]);
  });

  it("stays away while its slug is taken, by whichever team, and no owner is named", async () => {
    await deleteHive(storage, web);
    await makeHive(storage, "web", { team: "rival" });
    const reply = await restore();
    expect([reply.status, reply.json]).toEqual([
      409,
      { message: 'The slug "web" is taken.', code: "slug_taken" },
    ]);
    expect(await list()).toHaveLength(1);
    await deleteHive(storage, web);
    expect((await restore()).json).toMatchObject({ string_count: 2 });
  });

  it("stays away where the team would have more strings than it may", async () => {
    await deleteHive(storage, web);
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 1 });
    const reply = await restore();
    expect([reply.status, reply.json]).toEqual([
      422,
      expect.objectContaining({ message: "String limit reached for your plan.", code: "quota_exceeded" }),
    ]);
    expect(await list()).toHaveLength(1);
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 2 });
    expect((await restore()).status).toBe(200);
  });

  it("is one of several of its slug: the last, unless another is named", async () => {
    await deleteHive(storage, web);
    await makeHive(storage, "web");
    await deleteHive(storage, web);
    const [last, first] = await list();
    // In one millisecond, too.
    expect([last?.id, first?.id]).toEqual(["web.20260101T000000001Z", "web.20260101T000000000Z"]);
    expect((await restore(first?.id)).json.string_count).toBe(2);
    expect((await restore()).status).toBe(409);
    await deleteHive(storage, web);
    expect((await restore(last?.id)).json.string_count).toBe(0);
    expect((await restore(last?.id)).status).toBe(404);
  });

  it("is kept for 30 days, and gone for good then", async () => {
    await deleteHive(storage, web);
    now += 30 * day - 1;
    expect([await purgeTrash(storage), (await list()).length]).toEqual([0, 1]);
    now += 1;
    expect(await list()).toEqual([]);
    expect((await restore()).status).toBe(404);
    expect(trashed()).toHaveLength(1);
    expect(await purgeTrash(storage)).toBe(1);
    expect(trashed()).toEqual([]);
  });

  it.each([
    ["at 1970", 0],
    ["before the Hive's last commit", Date.UTC(2025, 5)],
  ])("while the clock stood %s is kept from the first time that the clock is right", async (_, wrong) => {
    const right = now;
    now = wrong;
    await deleteHive(storage, web);
    expect(trashed()).toEqual(["web.19700101T000000000Z.git"]);
    now = wrong + 1_000;
    await makeHive(storage, "other");
    now = right + 90 * day;
    expect([await purgeTrash(storage), trashed()]).toEqual([0, ["web.20260401T000000000Z.git"]]);
    now += 30 * day - 1;
    expect((await list()).map(({ expires }) => expires)).toEqual(["2026-05-01T00:00:00.000Z"]);
    expect(await purgeTrash(storage)).toBe(0);
    now += 1;
    expect(await purgeTrash(storage)).toBe(1);
  });

  it("is purged by one server at a time in the background, which is no failure of the others", async () => {
    await deleteHive(storage, web);
    now += 30 * day;
    const errors: unknown[] = [];
    const purge = () => purgeInBackground(storage, (error) => errors.push(error)).stop();
    await openStorage({ folder, disk: fs }).record.jobs.hold("purge", purge);
    expect([errors, trashed().length]).toEqual([[], 1]);
    await purge();
    expect([errors, trashed().length]).toEqual([[], 0]);
  });

  it("is not purged while it is being restored, nor restored while it is purged", async () => {
    for (let i = 0; i < 5; i++) {
      await deleteHive(storage, web);
      now += 30 * day - 1;
      const restoring = restore();
      now += 1;
      const [reply] = await Promise.all([restoring, purgeTrash(storage)]);
      if (reply.status === 404) {
        expect(trashed()).toEqual([]);
        await makeHive(storage, "web", { locales: ["fr"] });
      } else {
        expect(reply.status).toBe(200);
        expect((await exported()).status).toBe(200);
      }
    }
  });
});

describe("the trash of another team", () => {
  it("is invisible", async () => {
    await deleteHive(storage, toHiveSlug("theirs"));
    const [entry] = await listTrash(storage);
    expect(await list()).toEqual([]);
    const unknown = (await restore("nobody")).text;
    for (const text of ["theirs", entry?.id ?? ""]) {
      const reply = await restore(text);
      expect([reply.status, reply.text.replace(text, "nobody")]).toEqual([404, unknown]);
    }
    const token = await makeToken(storage, { team: "rival", abilities: ["admin"] });
    expect((await call("POST", "/api/trash/theirs/restore", { token })).status).toBe(200);
  });

  it.each([
    "..%2f..%2fx",
    "%2e%2e",
    "web.git",
    "web.20260101T000000000Z.git",
    "*",
    ".old-web",
    "x".repeat(2_000),
  ])("is not found by a text that looks like a path: %s", async (text) => {
    await deleteHive(storage, web);
    expect([404, 405]).toContain((await restore(text)).status);
    expect(await list()).toHaveLength(1);
  });

  it("the trash requires a token that manages the whole team", async () => {
    const limited = await makeToken(storage, { abilities: ["admin"], hives: ["web"] });
    const writer = await makeToken(storage, { abilities: ["read", "write"] });
    expect((await call("DELETE", "/api/hives/web", { token: limited })).status).toBe(200);
    for (const token of [limited, writer]) {
      expect((await call("GET", "/api/trash", { token })).status).toBe(403);
      expect((await call("POST", "/api/trash/web/restore", { token })).status).toBe(403);
    }
    expect((await call("GET", "/api/trash", { token: null })).status).toBe(401);
    expect((await call("POST", "/api/trash/web/restore?team=acme")).status).toBe(422);
    expect((await call("PUT", "/api/trash")).headers.get("allow")).toBe("GET, HEAD");
  });
});

describe("a command", () => {
  it("can give a deleted Hive to another team, and must name one if none is known", async () => {
    await deleteHive(storage, web);
    const rival = toTeamName("rival");
    await createTeam(storage, toTeamName("third"), 1);
    await expect(restoreHive(storage, { text: "web", team: toTeamName("third") })).rejects.toSatisfy(
      (error) => isFailure(error, "quota"),
    );
    await restoreHive(storage, { text: "web", team: rival });
    expect((await storage.registry.team(rival))?.hives).toEqual(["theirs", "web"]);
    await deleteHive(storage, web);
    const [id = ""] = trashed();
    fs.rmSync(join(folder, "trash", id, "skep-deleted.yaml"));
    await expect(restoreHive(storage, { text: "web" })).rejects.toThrow("team: is needed");
    expect(await problems()).toEqual([
      `trash/${id} does not say which team had it; skep hive restore can name one`,
    ]);
    expect(await restoreHive(storage, { text: "web", team: toTeamName("acme") })).toBe("web");
  });
});

describe("a Hive whose creation was interrupted", () => {
  it("goes to the trash of the team that was to have it", async () => {
    const save = storage.registry.saveTeam.bind(storage.registry);
    storage.registry.saveTeam = () => Promise.reject(new Error("killed"));
    await expect(makeHive(storage, "new")).rejects.toThrow("killed");
    storage.registry.saveTeam = save;
    await listTrash(storage);
    expect(trashed()).toEqual([expect.stringMatching(/^new\./)]);
    expect([await problems(), (await listTrash(storage))[0]?.team]).toEqual([[], "acme"]);
  });

  it("leaves no note behind where it was not", async () => {
    await makeHive(storage, "new");
    expect(fs.existsSync(join(folder, "hives/new.git/HEAD"))).toBe(true);
    expect(fs.existsSync(join(folder, "hives/new.git/skep-deleted.yaml"))).toBe(false);
  });
});

describe("skep server verify", () => {
  it("checks the trash, and changes nothing there", async () => {
    await deleteHive(storage, web);
    const [id = ""] = trashed();
    expect(await problems()).toEqual([]);
    fs.mkdirSync(join(folder, "trash/mine"));
    const main = fs.readFileSync(join(folder, "trash", id, "refs/heads/main"), "utf8").trim();
    const path = join(folder, "trash", id, "objects", main.slice(0, 2), main.slice(2));
    fs.rmSync(path);
    fs.writeFileSync(path, "torn");
    const found = await problems();
    expect(found).toContain("trash/mine is not a deleted Hive");
    expect(found.some((problem) => problem.startsWith(`trash/${id}: `) && problem.includes(main))).toBe(true);
    expect(trashed()).toEqual(["mine", id]);
  });

  it("moves no Hive to the trash that was created meanwhile", async () => {
    fs.mkdirSync(join(folder, "hives/left.git"));
    const findings = await storage.verifier.checkSettings();
    const finding = findings.find(({ problem }) => problem.includes("left"));
    await makeHive(storage, "left");
    expect(await finding?.repair?.()).toBe("it is gone");
    expect((await call("GET", "/api/hives/left/strings")).status).toBe(200);
  });
});

describe("the id of a deleted Hive", () => {
  it("contains its slug and time", () => {
    const time = Date.parse("2026-11-21T15:09:49.007Z");
    expect(parseTrashId(toTrashId(web, time))).toEqual({
      id: "web.20261121T150949007Z",
      slug: "web",
      deleted: time,
    });
    for (const text of ["web", "web.20261321T150949007Z", "-.20261121T150949007Z", ".20261121T150949007Z"]) {
      expect(parseTrashId(text)).toBeUndefined();
    }
  });
});
