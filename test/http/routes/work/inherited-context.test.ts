/** What a locale inherits beside texts: the style, and the terms of the glossary. */
import { expect, it } from "vitest";
import { openJobServer } from "../../../helpers/engines/job-server.ts";

const hive = "/api/hives/web";

it("style and terms come from the nearest locale that says something", async () => {
  const { call } = await openJobServer({ a: "Open the folder of a team" });
  await call("POST", `${hive}/locales`, { body: { code: "de" } });
  await call("POST", `${hive}/locales`, { body: { code: "de-AT", inherits: "de" } });
  const term = (source: string, translations: object) =>
    call("POST", `${hive}/glossary`, { body: { terms: [{ source, translations }] } });
  await term("folder", { de: { text: "Ordner" } });
  await term("team", { de: { text: "Team" }, "de-AT": { text: "Mannschaft" } });
  const seen = async () => {
    const body = { locale: "de-AT", want: ["missing"], max_items: 1 };
    const { claim, style, items } = (await call("POST", `${hive}/work`, { body })).json;
    await call("DELETE", `${hive}/work/${claim}`);
    const terms = items[0].terms.map((one: { source: string; translation: string | null }) => [
      one.source,
      one.translation,
    ]);
    return { style, terms: Object.fromEntries(terms) };
  };
  const terms = { folder: "Ordner", team: "Mannschaft" };
  expect(await seen()).toEqual({ style: "", terms });
  await call("PUT", `${hive}/style/de`, { body: { text: "Say Sie." } });
  expect(await seen()).toEqual({ style: "Say Sie.", terms });
  await call("PUT", `${hive}/style/de-AT`, { body: { text: "Say du." } });
  expect(await seen()).toEqual({ style: "Say du.", terms });
  await call("PATCH", `${hive}/locales/de-AT`, { body: { inherits: null } });
  expect(await seen()).toEqual({ style: "Say du.", terms: { folder: null, team: "Mannschaft" } });
});
