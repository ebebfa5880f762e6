/** The list of Hives that `skep hive list` prints. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { listHives } from "../../../src/service/admin/hives.ts";
import { openLocalStorage, openStorage } from "../../../src/service/storage.ts";
import { makeHive, memoryDisk, memoryFolder, realFolder } from "../../helpers/storage.ts";

it("Hives are listed without the content of any being kept in memory", async () => {
  const place = { disk: memoryDisk(), folder: memoryFolder() };
  const made = openStorage(place);
  for (const slug of ["web", "app"]) await makeHive(made, slug);
  const storage = openStorage(place);
  expect(await listHives(storage)).toMatchObject([
    { slug: "web", team: "acme", strings: 0, settings: { name: "web" } },
    { slug: "app", team: "acme", strings: 0, settings: { name: "app" } },
  ]);
  expect(storage.memoryUsage().items).toBe(0);
});

it("a Hive whose last commit cannot be read is listed with the reason, though an earlier one can", async () => {
  const folder = realFolder();
  const storage = openLocalStorage(folder);
  for (const slug of ["web", "app"]) await makeHive(storage, slug);
  const gitdir = join(folder, "hives/web.git");
  const main = join(gitdir, "refs/heads/main");
  const person = "A <a@example.org> 1 +0000";
  const text = `tree ${"a".repeat(40)}\nparent ${readFileSync(main, "utf8").trim()}\nauthor ${person}\ncommitter ${person}\n\nbroken\n`;
  const object = Buffer.from(`commit ${text.length}\0${text}`);
  const oid = createHash("sha1").update(object).digest("hex");
  const path = join(gitdir, "objects", oid.slice(0, 2), oid.slice(2));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, deflateSync(object));
  writeFileSync(main, `${oid}\n`);
  expect(await listHives(openLocalStorage(folder))).toMatchObject([
    { slug: "web", problem: expect.stringContaining(`content at ${oid} is invalid`) },
    { slug: "app", strings: 0 },
  ]);
});
