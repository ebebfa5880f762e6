/** Storages of earlier states of the project, and settings files that nobody may read in another way than they were meant. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { toMirrorUrl } from "../../../src/domain/hives/mirror-url.ts";
import { toWebhookUrl } from "../../../src/domain/hives/webhook.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { addMirror } from "../../../src/service/admin/mirrors.ts";
import { listTokens } from "../../helpers/people/tokens.ts";
import { restoreHive } from "../../../src/service/admin/trash.ts";
import { addWebhook } from "../../../src/service/admin/webhooks.ts";
import { verify } from "../../../src/service/operations/verify.ts";
import { openLocalStorage, openStorage, type Storage } from "../../../src/service/storage.ts";
import { settingsFormat } from "../../../src/store/settings/stored-settings.ts";
import { findStoredFiles } from "../../../src/store/migration/stored-files.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { CrashDisk, cutOff, expectDurable } from "../../helpers/crash-disk.ts";
import { skep } from "../../helpers/process.ts";
import { harness, makeHive, makeToken, realFolder } from "../../helpers/storage.ts";
import { webhookOwner } from "../../helpers/events/webhook-owner.ts";

const archives = fileURLToPath(new URL("../../fixtures/storages/", import.meta.url));
const releases = fs.readdirSync(archives).filter((name) => name.endsWith(".tar.gz"));
/** When they were made, so that what they have in the trash has not expired. */
const then = Date.parse("2026-11-23T00:00:00.000Z");
const keptFolder = `before-format-${settingsFormat}`;
const present = new RegExp(`^format: ${settingsFormat}\n`);
const web = toHiveSlug("web");
const acme = toTeamName("acme");

function unpacked(release: string): string {
  const folder = realFolder();
  execFileSync("tar", ["-xzf", join(archives, release), "-C", folder]);
  fs.chmodSync(folder, 0o700);
  return folder;
}

async function problemsOf(storage: Storage): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { hive = "storage", problem } of verify(storage, { repair: false }))
    found.push(`${hive}: ${problem}`);
  return found;
}

async function pathsIn(disk: Disk, folder: string): Promise<readonly string[]> {
  return (await findStoredFiles(new DurableFs(disk), folder)).map(({ path }) => path);
}

/** The texts of all settings files but states, by their paths. */
async function textsIn(folder: string, disk: Disk = fs): Promise<Readonly<Record<string, string>>> {
  const paths = (await pathsIn(disk, folder)).filter((path) => !path.includes(".state."));
  const text = (path: string) => Buffer.from(disk.readFileSync(join(folder, path))).toString();
  return Object.fromEntries(paths.map((path) => [path, text(path)]));
}

async function settingsOf(storage: Storage): Promise<unknown> {
  const { registry, mirrors, webhooks, publications } = storage;
  return {
    teams: await registry.teams(),
    tokens: await registry.tokens(),
    mirrors: mirrors.states(web),
    webhooks: webhooks.lists.read(acme),
    received: webhooks.stateLists.readable(web),
    channels: await publications.of(web),
  };
}

describe("a storage of an earlier state of the project", () => {
  it.each(releases)(
    "%s is sound as it is, the same in the present format, and takes changes",
    async (release) => {
      const folder = unpacked(release);
      const [before, storage] = [await textsIn(folder), openLocalStorage(folder)];
      expect(await problemsOf(storage)).toEqual([]);
      const settings = await settingsOf(storage);
      const kept = join(folder, keptFolder);
      expect(await storage.migrateSettings()).toEqual({ count: Object.keys(before).length, kept });
      const fresh = openLocalStorage(folder, { now: () => then });
      for (const one of [storage, fresh]) expect(await settingsOf(one)).toEqual(settings);
      const after = await textsIn(folder);
      for (const text of Object.values(after)) expect(text).toMatch(present);
      expect(await textsIn(kept)).toEqual(before);
      expect(await storage.migrateSettings()).toMatchObject({ count: 0 });
      expect(await textsIn(folder)).toEqual(after);
      const [first] = await listTokens(fresh);
      const abilities = ["read", "write", "admin"] as const;
      expect(first).toMatchObject({ team: "acme", name: "CI & more", hives: "all" });
      const { post, exported } = harness(fresh, await makeToken(fresh, { abilities }));
      const { json } = await exported("locale=fr");
      expect(json.files).toMatchObject({ "shop.json": expect.stringContaining("{n} articles") });
      const files = { "auth.php": { login: { title: "Enter" } } };
      const changed = await post(files);
      expect(changed.json).toMatchObject({ updated: 1 });
      if ((await fresh.trash.read()).entries.length > 0) await restoreHive(fresh, { text: "gone" });
      expect(await problemsOf(fresh)).toEqual([]);
    },
  );

  it("a storage that an earlier version has written to since gets the present format again", async () => {
    const folder = unpacked("release-7.tar.gz");
    const storage = openLocalStorage(folder);
    await storage.migrateSettings();
    const path = join(folder, "teams/acme.yaml");
    const earlier = fs.readFileSync(path, "utf8").replace(present, "");
    fs.writeFileSync(path, earlier.replace("max_strings: 1000", "max_strings: 7"));
    fs.writeFileSync(join(folder, "settings-version"), "0123456789abcdef\n");
    expect((await storage.registry.team(acme))?.maxStrings).toBe(7);
    expect(await openLocalStorage(folder).migrateSettings()).toMatchObject({ count: 1 });
    expect(fs.readFileSync(path, "utf8")).toMatch(
      new RegExp(`^format: ${settingsFormat}\\n(.*\\n)*max_strings: 7\\n`),
    );
    // The first one of two is kept.
    expect(fs.readFileSync(join(folder, keptFolder, "teams/acme.yaml"), "utf8")).toBe(earlier);
  });
});

describe("a settings file", () => {
  const folder = unpacked("release-7.tar.gz");
  const storage = openLocalStorage(folder);
  const folders = ["teams", "tokens", "mirrors", "channels", "webhooks"];
  const all = folders.flatMap((name) => fs.readdirSync(join(folder, name)).map((file) => `${name}/${file}`));
  const changes: readonly [string, (text: string) => string, string][] = [
    ["with a member that nothing knows", (text) => `${text}only_on: monday\n`, 'Unrecognized key: "only_on"'],
    [
      "of a later version",
      (text) => `format: ${settingsFormat + 1}\n${text}`,
      `a later version of Skep wrote it, in format ${settingsFormat + 1}`,
    ],
    ["with a format that is none", (text) => `format: new\n${text}`, "format: Invalid input"],
    ["that is cut off", (text) => `${text.slice(0, text.length / 2)}\n  - "`, ""],
    ["that is empty", () => "", ""],
    ["that is a list", () => "- a\n", ""],
    ["of zeros", (text) => "\0".repeat(text.length), ""],
  ];

  describe.each(all)("%s", (path) => {
    it.each(changes)("%s is found by skep server verify", async (_, change, why) => {
      const text = fs.readFileSync(join(folder, path), "utf8");
      fs.writeFileSync(join(folder, path), change(text));
      const found = (await storage.verifier.checkSettings()).map(({ problem }) => problem);
      fs.writeFileSync(join(folder, path), text);
      expect(found).toContainEqual(expect.stringContaining(`The settings file ${path} is invalid: ${why}`));
    });
  });

  it("that is none of Skep's is found by skep server verify", async () => {
    const foreign = ["teams/a.txt", "tokens/a.b.yaml", "mirrors/web.yml", "channels/web.yaml"];
    for (const path of foreign) fs.writeFileSync(join(folder, path), "");
    const expected = foreign.map((path) => `storage: ${path} is not a settings file`);
    expect((await problemsOf(storage)).toSorted()).toEqual(expected.toSorted());
    for (const path of foreign) fs.rmSync(join(folder, path));
    expect(await problemsOf(storage)).toEqual([]);
  });

  it("a token with a restriction of a later version is refused, and is not written again without it", async () => {
    const token = await makeToken(storage, { hives: ["web"] });
    const path = join(folder, "tokens", `${token.split("_")[1]}.yaml`);
    const text = `${fs.readFileSync(path, "utf8")}networks:\n  - 10.0.0.0/8\n`;
    fs.writeFileSync(path, text);
    const fresh = openLocalStorage(folder);
    const { status, json } = await harness(fresh, token).call("GET", "/api/hives/web/strings");
    expect([status, json.code]).toEqual([503, "content_invalid"]);
    await makeHive(fresh, "another");
    expect(fs.readFileSync(path, "utf8")).toBe(text);
  });
});

it("a storage of a later version is left as it is by all commands, with one line", async () => {
  const folder = unpacked("release-7.tar.gz");
  await openLocalStorage(folder).migrateSettings();
  const version = `${"a".repeat(32)} format ${settingsFormat + 1}\n`;
  fs.writeFileSync(join(folder, "settings-version"), version);
  const known = `its settings have format ${settingsFormat + 1}, this version reads up to ${settingsFormat}`;
  const line = `skep: A later version of Skep wrote the storage in ${folder}: ${known}.\n`;
  for (const args of [["team", "list"], ["verify"], ["serve", "--port", "0"], ["team", "create", "new"]]) {
    const { code, stdout, stderr } = await skep(...args, "--storage", folder);
    expect([code, stdout, stderr]).toEqual([1, "", line]);
    expect(fs.readFileSync(join(folder, "settings-version"), "utf8")).toBe(version);
  }
});

describe("a storage of a version that had followers", () => {
  const state = "format: 4\nid: 4b8aff8caf22f8ab92be3f6f8fff49dc\ngeneration: 1\n";
  const copies = [
    [
      "a copy",
      "follows: https://skep.example.org",
      " is a follower's copy of the one at https://skep.example.org,",
    ],
    [
      "one that another server took over from",
      "superseded_by: 2",
      "Another server took over from the storage in ",
    ],
  ] as const;

  it.each(copies)("is not used by mistake when it is %s", async (_, role, why) => {
    const folder = unpacked("release-9.tar.gz");
    const path = join(folder, "replication.yaml");
    fs.writeFileSync(path, `${state}${role}\n`);
    for (const args of [
      ["team", "list"],
      ["serve", "--port", "0"],
    ]) {
      const { code, stdout, stderr } = await skep(...args, "--storage", folder);
      expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(/^skep: [^\n]+\n$/)]);
      expect(stderr).toContain(why);
      expect(stderr).toContain(". Remove its replication.yaml to use it as a storage of its own.\n");
    }
    fs.rmSync(path);
    expect(await skep("team", "list", "--storage", folder)).toMatchObject({ code: 0, stderr: "" });
  });

  it("is opened as usual when it was a primary", async () => {
    const folder = unpacked("release-9.tar.gz");
    expect(fs.readFileSync(join(folder, "replication.yaml"), "utf8")).toContain("generation: 1");
    expect(await skep("team", "list", "--storage", folder)).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("a power cut", () => {
  let mounts = 0;
  const folderOf = (mount: number): string => `/mount-${mount}/storage`;
  const open = (disk: Disk): Storage => openStorage({ disk, folder: folderOf(++mounts) });

  it("leaves every settings file as it was or in the present format", async () => {
    const base = new CrashDisk();
    const storage = open(base);
    await makeHive(storage, "web");
    await makeToken(storage, { hives: ["web"] });
    await addMirror(storage, web, toMirrorUrl("https://example.org/a.git"));
    await addWebhook(storage, webhookOwner(acme), { url: toWebhookUrl("https://example.org/") });
    const fresh = new DurableFs(base);
    for (const [path, text] of Object.entries(await textsIn(folderOf(mounts), base))) {
      await fresh.write(join(folderOf(mounts), path), text.replace(present, ""));
    }
    await fresh.write(join(folderOf(mounts), "settings-version"), "earlier\n");
    const expected = await settingsOf(open(base));
    const before = await textsIn(folderOf(mounts), base);
    const cuts = await cutOff(base, (disk) => open(disk).migrateSettings());
    await expectDurable(cuts, async ({ disk, step }) => {
      expect(await settingsOf(open(disk)), step).toEqual(expected);
      const { format } = open(disk).registry.version;
      await open(disk).migrateSettings();
      expect(await settingsOf(open(disk)), step).toEqual(expected);
      expect(await textsIn(join(folderOf(mounts), keptFolder), disk), step).toEqual(before);
      return format === settingsFormat;
    });
  });
});
