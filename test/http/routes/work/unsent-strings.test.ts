/** Strings that engines never get: neither to translate, nor as a neighbour, nor from the memory. */
import { beforeEach, expect, it } from "vitest";
import { openJobServer, type JobServer } from "../../../helpers/engines/job-server.ts";
import { makeHive } from "../../../helpers/storage.ts";

const hive = "/api/hives/web";
let server: JobServer;

beforeEach(async () => {
  server = await openJobServer({ a: "Launch the ship", s: "Launch the secret ship", z: "Land the ship" });
});

const keep = (machine: false | null, slug = "web", key = "s") =>
  server.call("PATCH", `/api/hives/${slug}/notes`, { body: { files: { "a.json": { [key]: { machine } } } } });
const suggest = (key: string) =>
  server.call("POST", `${hive}/suggestions`, { body: { locale: "fr", file: "a.json", key } });
/** What was sent. */
const sent = () => server.sent.map(({ body }) => body).join("\n");

it("a job leaves out what a note keeps from engines, and says nothing of it", async () => {
  await server.write({ s: "Lancer le vaisseau furtif" });
  expect((await keep(false)).status).toBe(200);
  const dry = await server.call("POST", `${hive}/translate?dry_run=true`, { body: { locales: ["de"] } });
  expect(dry.json.items).toBe(2);
  expect(await server.finished({ locales: ["de", "fr"] })).toMatchObject({ state: "done", refused: 0 });
  expect(sent()).toContain("Launch the ship");
  expect(sent()).not.toMatch(/secret|furtif/);
  await keep(null);
  expect(await server.finished({ locales: ["de"] })).toMatchObject({ saved: 1 });
});

it("suggestions refuse it by name, and tell nothing of it beside others", async () => {
  await server.write({ s: "Lancer le vaisseau furtif" });
  await suggest("a");
  expect(sent()).toMatch(/furtif/);
  await keep(false);
  server.sent.length = 0;
  const refused = await suggest("s");
  expect([refused.status, refused.json.code]).toEqual([403, "engines_off"]);
  expect(JSON.stringify(refused.json)).toContain(String.raw`\"s\" in a.json`);
  expect((await suggest("z")).status).toBe(200);
  await server.changeSource({ a: "Launch a ship" });
  expect((await suggest("a")).status).toBe(200);
  expect(server.sent).toHaveLength(2);
  expect(sent()).not.toMatch(/secret|furtif/);
});

it("texts of other Hives are sent where these allow it", async () => {
  await makeHive(server.storage, "app");
  const app = "/api/hives/app";
  await server.call("PUT", `${app}/strings`, { body: { files: { "a.json": { t: "Launch the ships" } } } });
  await server.call("POST", `${app}/translations/fr`, {
    body: { files: { "a.json": { t: "Lancer ceux-ci" } } },
  });
  const remembers = async (source: string) => {
    await server.changeSource({ a: source });
    server.sent.length = 0;
    await suggest("a");
    return sent().includes("ceux-ci");
  };
  expect(await remembers("Launch the ships")).toBe(true);
  await keep(false, "app", "t");
  expect(await remembers("Launch the ships.")).toBe(false);
  await keep(null, "app", "t");
  expect(await remembers("Launch the ships!")).toBe(true);
  await server.call("PATCH", app, { body: { engines: false } });
  expect(await remembers("Launch the ships?")).toBe(false);
});
