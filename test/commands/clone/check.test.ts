/** `skep check` on files as a clone of a Hive has them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { checkClone } from "../../../src/service/clone/check-clone.ts";
import { acmeStorage, createToken, git, request, serveInProcess, skepAt } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

const fr = "locales/fr/a.json.json";

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

it("skep check in a clone has the findings of a push, by the settings of its Hive", async () => {
  const storage = await acmeStorage({ web: ["--locale", "fr", "--syntax", "*.json=i18next"] });
  const token = await createToken(storage);
  const server = await serveInProcess(storage);
  const send = (method: string, path: string, body: object) =>
    request(server, token, method, `/api/hives/web${path}`, body);
  await send("POST", "/strings", { files: { "a.json": { hi: "Hi {{name}}", bye: "Bye {{name}}" } } });
  await send("POST", "/translations/fr", { files: { "a.json": { hi: "Salut {{nom}}" } } });
  const folder = realFolder();
  const url = server.url.replace("://", `://skep:${token}@`);
  await git(folder, "clone", "--quiet", `${url}/hives/web.git`, "web");
  const clone = join(folder, "web");
  const ran = await skepAt(join(clone, "locales"), {}, "check");
  const line = `${fr.replace("locales/", "")}:2: error argument-extra: fr, hi: {{nom}} is not in the source text, which has {{name}}`;
  expect([ran.code, ran.stdout]).toEqual([3, `${line}\n3 texts checked: 1 error, 0 warnings.\n`]);
  // What was accepted in the Hive is accepted in its clones.
  await send("POST", "/checks/accept", { locale: "fr", file: "a.json", key: "hi", check: "argument-extra" });
  await git(clone, "pull", "--quiet");
  expect((await checkClone(clone, false))?.findings).toEqual([]);
  write(clone, { [fr]: '{ "bye": "Salut {{nom}}" }\n' });
  expect((await checkClone(clone, false))?.findings).toMatchObject([{ path: fr, line: 1, key: "bye" }]);
  // As a push does, it names the line of each of two keys that have one text.
  write(clone, { [fr]: '{\n  "hi": "Salut {{n}}",\n  "bye": "Salut {{n}}"\n}\n' });
  expect((await checkClone(clone, false))?.findings.map(({ line: at }) => at)).toEqual([2, 3]);
  write(clone, { [fr]: '{ "bye": ' });
  await expect(checkClone(clone, false)).rejects.toThrow(fr);
});

it("outside a clone and an app, skep check says what is missing", async () => {
  expect(await checkClone(realFolder(), false)).toBeUndefined();
  const { code, stderr } = await skepAt(realFolder(), {}, "check");
  expect([code, stderr]).toEqual([2, expect.stringContaining("There is no skep.yaml")]);
});

it("skep check in a clone finds by the glossary of the clone", async () => {
  const folder = realFolder();
  write(folder, {
    "hive.yaml": "name: Web\nsource_locale: en\nlocales:\n  - code: en\n  - code: fr\n",
    "locales/en/a.json.json": '{\n  "open": "Open the file"\n}\n',
    [fr]: '{\n  "open": "Ouvrir"\n}\n',
    "glossary.json": '{"terms":[{"id":"1","source":"file","translations":{"fr":{"text":"fichier"}}}]}',
  });
  await git(folder, "init", "--quiet");
  expect((await checkClone(folder, false))?.findings).toMatchObject([
    { path: fr, line: 2, check: "term-missing", severity: "warning", expected: "fichier" },
  ]);
  // What notes say of a text counts as in a push: how long it may be, and that it is not to be translated.
  write(folder, { "notes/a.json.json": '{"open":{"team":{"keep":true,"max_length":5}}}' });
  expect((await checkClone(folder, false))?.findings).toMatchObject([{ check: "length", line: 2 }]);
  write(folder, { "notes/a.json.json": "1" });
  await expect(checkClone(folder, false)).rejects.toThrow("notes/a.json.json: does not hold notes");
  write(folder, { "notes/a.json.json": "{}", "glossary.json": '{"terms":1}' });
  await expect(checkClone(folder, false)).rejects.toThrow("glossary.json: is not a glossary");
});
