/** The list of Hives that `skep hive list` prints. */
import { expect, it } from "vitest";
import { ownerCaller } from "../../../src/service/access.ts";
import { reachableHives } from "../../../src/service/content/overviews.ts";
import { openStorage } from "../../../src/service/storage.ts";
import { makeHive, memoryDisk, memoryFolder } from "../../helpers/storage.ts";

it("Hives are listed without the content of any being kept in memory", async () => {
  const place = { disk: memoryDisk(), folder: memoryFolder() };
  const made = openStorage(place);
  for (const slug of ["web", "app"]) await makeHive(made, slug);
  const storage = openStorage(place);
  const [team] = await storage.registry.teams();
  if (team === undefined) throw new Error("there is no team");
  const listed = await reachableHives(storage, ownerCaller("hive list", team), (read) =>
    read(new AbortController().signal),
  );
  expect(await listed.read()).toMatchObject([
    { slug: "web", translatableCount: 0, settings: { name: "web" } },
    { slug: "app", translatableCount: 0, settings: { name: "app" } },
  ]);
  expect(storage.memoryUsage().items).toBe(0);
});
