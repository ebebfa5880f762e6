/** The page of the team. */
import { expect, it } from "vitest";
import { toMirrorUrl } from "../../../src/domain/hives/mirror-url.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { addMirror } from "../../../src/service/admin/mirrors.ts";
import { setQuota } from "../../../src/service/admin/teams.ts";
import { harness, makeHive, makeToken, memoryStorage } from "../../helpers/storage.ts";
import { browse } from "./browse.ts";

it("shows an admin the quota, tokens, mirrors without their addresses, and deleted Hives", async () => {
  const storage = memoryStorage();
  await makeHive(storage, "web");
  await makeHive(storage, "gone");
  await setQuota(storage, toTeamName("acme"), 2000);
  await addMirror(storage, toHiveSlug("web"), toMirrorUrl("https://git.example.org/secret-name.git"));
  const token = await makeToken(storage, { name: "Lead <b>", abilities: ["read", "write", "admin"] });
  await harness(storage, token).call("DELETE", "/api/hives/gone");
  const browser = browse(storage);
  await browser.signIn(token);
  const { text, html } = await browser.get("/team");
  expect(text).toContain("0 source strings in 1 Hive, of at most 2,000");
  expect(text).toMatch(/Lead <b> [0-9a-z]{12} read, write, admin all .* 2\d{3}-\d\d-\d\d never/);
  expect(text).toContain("web has changes to get never");
  expect(text).toMatch(/Deleted Hives .* gone /);
  expect(html).not.toContain("secret-name");
  expect(html).not.toContain(token);
});

it("shows no token of others to one that may not manage them, nor what is in Hives that it does not reach", async () => {
  const storage = memoryStorage();
  await makeHive(storage, "web");
  await makeHive(storage, "other");
  await setQuota(storage, toTeamName("acme"), 2000);
  await makeToken(storage, { name: "Lead", abilities: ["read", "write", "admin"] });
  const browser = browse(storage);
  await browser.signIn(await makeToken(storage, { hives: ["web"], abilities: ["read"] }));
  const { text } = await browser.get("/team");
  expect(text).toContain("in 1 Hive");
  expect(text).not.toMatch(/Lead|2,000|other/);
});

it("is for those who are signed in", async () => {
  const { status, headers } = await browse(memoryStorage()).get("/team");
  expect([status, headers.get("location")]).toEqual([303, "./?to=team"]);
});
