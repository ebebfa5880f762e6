/** The page about branches is run as it is written, in an app that is as it says. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { acmeStorage, createToken, request, serveInProcess } from "../helpers/process.ts";
import { skepProgram } from "../helpers/skep-program.ts";
import { realFolder } from "../helpers/storage.ts";
import { bash, blocks, shell } from "./shell.ts";

const page = "docs/branches.md";

/** The beginnings of commits' names are others each time. */
const withoutCommits = (text: string): string => text.replaceAll(/\b[0-9a-f]{7,10}\b/g, "1b2c3d4");

it("the page about branches works line by line, and shows what the commands say", async () => {
  const [storage, folder] = [await acmeStorage(), realFolder()];
  const app = join(folder, "app");
  const token = await createToken(storage);
  const server = await serveInProcess(storage);
  const here = (text: string): string => text.replaceAll("http://127.0.0.1:4488", server.url);
  const files = {
    "skep.yaml": here(blocks(page, "yaml").join("")),
    "lang/en/app.json": '{"home": "Home", "quit": "Log out"}\n',
    "lang/fr/app.json": '{"home": "Accueil", "quit": "Se déconnecter"}\n',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    writeFileSync(join(app, path), content);
  }
  const before = "git init -q -b main && git add . && git commit -qm First && skep push --translations";
  const script = here([before, ...shell(page)].join("\n"));
  const person = { NAME: "Ada", EMAIL: "ada@example.org" };
  const { code, stdout, stderr } = await bash(script, app, {
    PATH: `${await skepProgram()}:${process.env.PATH ?? ""}`,
    SKEP_TOKEN: token,
    SKEP_STORAGE: storage,
    ...Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((who) =>
        Object.entries(person).map(([what, value]) => [`GIT_${who}_${what}`, value]),
      ),
    ),
  });
  expect([code, stderr]).toEqual([0, expect.stringContaining("nothing was merged: en: app.json: quit")]);
  // git ends the lines of a server with blanks.
  const said = withoutCommits(`${stdout}${stderr}`).replaceAll(/ +$/gm, "");
  for (const shown of blocks(page, "text")) {
    for (const line of shown.trimEnd().split("\n")) expect(said).toContain(`${line}\n`);
  }
  const { json } = await request(server, token, "GET", "/api/hives/web/export?locale=fr&names=hive");
  expect(JSON.parse(json.files["site.json"])).toEqual({
    home: "Accueil",
    login: "Connexion",
    quit: "Quitter",
  });
});
