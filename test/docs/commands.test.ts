/** Every command of the pages that people copy from is run here, against a real server. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { codeBlocks } from "../helpers/markdown.ts";
import { exportsOfTools } from "../helpers/exports/tools.ts";
import { zipOfTexts } from "../helpers/exports/zip.ts";
import { startModel } from "../helpers/engines/model-server.ts";
import { acmeStorage, createToken, request, serveInProcess, startServer } from "../helpers/process.ts";
import { png } from "../domain/pictures/images.ts";
import { skepProgram } from "../helpers/skep-program.ts";
import { realFolder } from "../helpers/storage.ts";
import { pages, readPage, root } from "./pages.ts";
import { bash, shell } from "./shell.ts";

const [quickStart, ...firstSteps] = shell("README.md");
/** The pages that go on where the first steps end, in this order. */
const further = ["docs/git.md", "docs/notes.md", "docs/pictures.md", "docs/ci.md", "docs/agencies.md"];
/** Its commands need root and Docker; `test/deploy` holds what they start to what the page says. */
const deployment = "deploy/README.md";
const appsPage = "docs/apps.md";
const clientPage = "docs/client.md";
const conceptsPage = "docs/concepts.md";
/** Its commands are run by `ci-jobs.test.ts`. */
const jobsPage = "deploy/ci/README.md";
/** Its commands are run by `branches.test.ts`. */
const branchesPage = "docs/branches.md";
const checksPage = "docs/checks.md";
const deliveryPage = "docs/delivery.md";
const enginesPage = "docs/engines.md";
const glossaryPage = "docs/glossary.md";
const movingPage = "docs/moving.md";
/** Its commands are run by `test/deploy/object-storage.test.ts`. */
const operationPage = "docs/operation.md";
const peoplePage = "docs/people.md";
/** Its commands are run by `privacy.test.ts`. */
const privacyPage = "docs/privacy.md";
const reviewPage = "docs/review.md";
const workPage = "docs/work.md";

const isRequired = process.env.SKEP_TEST_DEPLOY === "required";
const tools = ["curl", "jq"];
const missing = tools.filter((tool) => spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0);

/** A free port, for a server that must be told one. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return String(typeof address === "object" ? address?.port : "");
}

/** Makes the folder of an app a repository, with everything that is there committed. */
function startGit(branch: string): string {
  return `git init -q -b ${branch} && git add . && git -c user.name=Ada -c user.email=ada@example.org commit -q -m First`;
}

it("the README begins with the two commands that other tests and CI run", () => {
  expect(quickStart).toBe("npm ci && npm run demo\nnpm ci && npm test && npm run test:rare");
});

it("the tests run the commands of every page", () => {
  const withCommands = pages.filter((page) => shell(page).length > 0);
  expect(withCommands).toEqual([
    "README.md",
    "docs/agencies.md",
    appsPage,
    branchesPage,
    checksPage,
    "docs/ci.md",
    clientPage,
    conceptsPage,
    deliveryPage,
    enginesPage,
    "docs/git.md",
    glossaryPage,
    movingPage,
    "docs/notes.md",
    operationPage,
    peoplePage,
    "docs/pictures.md",
    privacyPage,
    reviewPage,
    workPage,
    deployment,
    jobsPage,
  ]);
});

it.skipIf(missing.length > 0 && !isRequired)(
  "the first steps work one after the other, as they are written",
  async () => {
    const folder = realFolder();
    const port = await freePort();
    // The checkout that the reader is in, without its storage.
    symlinkSync(join(root, "dist"), join(folder, "dist"));
    const serve = `skep serve >server.log 2>&1 & trap "kill $!" EXIT
      for i in $(seq 200); do curl -sf http://127.0.0.1:4488/healthz >/dev/null && break; sleep 0.05; done`;
    const picture = png(80, 40);
    mkdirSync(join(folder, "app/shots"), { recursive: true });
    for (const name of ["login.png", "shots/login.png"]) writeFileSync(join(folder, "app", name), picture);
    const shots = [{ file: "login.png", strings: ["auth.php:failed"] }];
    writeFileSync(join(folder, "app/shots/shots.json"), JSON.stringify(shots));
    const steps = [...firstSteps, ...shell(conceptsPage)];
    // The first steps run the program itself, all others its commands in this process, which takes a tenth of the time.
    const inProcess = `export PATH="${await skepProgram()}:$PATH"`;
    const script = [...steps, "rm -rf web", inProcess, startGit("main"), ...further.flatMap(shell)].join(
      "\n",
    );
    // The first pushes were of a folder that was no repository then.
    const known = script
      .replace(/^skep push --base$/m, "skep push --base main")
      .replace("3f79bb7b43", createHash("sha256").update(picture).digest("hex").slice(0, 10));
    const ran = await bash(known.replace(/^skep serve$/m, serve).replaceAll("4488", port), folder, {
      SKEP_PORT: port,
    });
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining("Created the token")]);
    for (const said of [
      "lang/en/auth.php: 2 created",
      "pt_BR: 1 created, 0 updated",
      '{"created":1,"updated":0,"skipped":0,"unknown":0}',
      "'nav' => ['home' => 'Início']",
      "Import pt_BR translations: 1 created",
      '"change":"deleted"',
      '{"created":1,"updated":0,"deleted":0,"unchanged":0,"unknown":0}',
      "{+Wrong password.+}",
      "Restored 0 texts, updated 0, deleted 1, skipped 0.",
    ]) {
      expect(ran.stdout).toContain(said);
    }
  },
);

it("the page about the client has settings and commands that work as they are written", async () => {
  const storage = await acmeStorage({ web: ["--locale", "fr", "--locale", "pt-BR"] });
  const app = realFolder();
  const token = await createToken(storage);
  const server = await serveInProcess(storage);
  const settings = codeBlocks(readPage(clientPage)).find(({ language }) => language === "yaml");
  const files = {
    "skep.yaml": settings?.code ?? "",
    "lang/en/admin/menu.php": "<?php\n\nreturn [\n    'save' => 'Save',\n];\n",
    "lang/fr/admin/menu.php": "<?php\n\nreturn [\n    'save' => 'Enregistrer',\n];\n",
    "lang/en.json": '{"Home": "Home"}\n',
    "config/locales/en.json": '{"title": "App"}\n',
    "config/locales/pt.json": '{"title": "Aplicativo"}\n',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    writeFileSync(join(app, path), content);
  }
  const script = [startGit("develop"), ...shell(clientPage)]
    .join("\n")
    .replace("SKEP_TOKEN=…", `SKEP_TOKEN=${token}`);
  const ran = await bash(script, app, {
    PATH: `${await skepProgram()}:${process.env.PATH ?? ""}`,
    SKEP_SERVER: server.url,
  });
  expect([ran.code, ran.stderr]).toEqual([0, "This was the first push into web.\n"]);
  expect(ran.stdout).toContain("pt-BR: 1 created");
  expect(ran.stdout).toContain("web: 0 files changed, 2 unchanged");
  const { json } = await request(server, token, "GET", "/api/hives/web/export?locale=en&names=hive");
  expect(Object.keys(json.files)).toEqual(["admin/menu.php", "en.json", "settings.json"]);
});

it("the page about apps has commands that work as they are written", async () => {
  const app = realFolder();
  writeFileSync(join(app, "skep.yaml"), "source: en\nfiles:\n  - locales/{locale}/*.json\n");
  mkdirSync(join(app, "locales/en"), { recursive: true });
  mkdirSync(join(app, "src"));
  writeFileSync(join(app, "locales/en/auth.json"), '{ "failed": "Failed, {{name}}" }\n');
  const ran = await bash([startGit("main"), ...shell(appsPage)].join("\n"), app, {
    PATH: `${await skepProgram()}:${process.env.PATH ?? ""}`,
  });
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  const said = "src/texts.d.ts: 1 text for i18next";
  expect(ran.stdout).toBe(`${said}, written.\n${said}, unchanged.\n`);
});

it("the page about delivery has commands that work as they are written", async () => {
  const storage = await acmeStorage({ web: ["--locale", "fr", "--locale", "de"] });
  const token = await createToken(storage);
  const server = await serveInProcess(storage);
  for (const name of ["v1.2", "v1.3"]) await request(server, token, "POST", "/api/hives/web/tags", { name });
  await request(server, token, "POST", "/api/hives/web/branches", { name: "feature/login" });
  const ran = await bash(shell(deliveryPage).join("\n"), storage, {
    PATH: `${await skepProgram()}:${process.env.PATH ?? ""}`,
    SKEP_STORAGE: storage,
  });
  expect(ran.code).toBe(0);
  const [path = ""] = /^\/p\/[0-9a-f]{24}\/production\/$/m.exec(ran.stdout) ?? [];
  const { status, json } = await request(server, token, "GET", `${path}manifest.json`);
  expect([status, Object.keys(json.files)]).toEqual([200, ["en.json", "fr.json", "de.json"]]);
});

it.skipIf(missing.length > 0 && !isRequired)(
  "the page about checks has commands that work as they are written",
  async () => {
    const [storage, app] = [await acmeStorage(), realFolder()];
    const token = await createToken(storage, ["admin"]);
    const server = await serveInProcess(storage);
    const source = { files: { "auth.php": { failed: "Wrong, :name" } } };
    await request(server, token, "POST", "/api/hives/web/strings", source);
    const wrong = { files: { "auth.php": { failed: "Faux, :nom" } } };
    await request(server, token, "POST", "/api/hives/web/translations/fr", wrong);
    writeFileSync(join(app, "skep.yaml"), "source: en\nfiles:\n  - '{locale}.json'\n");
    for (const code of ["en", "fr"]) writeFileSync(join(app, `${code}.json`), '{"hi": "{{name}}"}\n');
    const ran = await bash(shell(checksPage).join("\n"), app, {
      PATH: `${await skepProgram()}:${process.env.PATH ?? ""}`,
      SKEP_SERVER: server.url,
      SKEP_TOKEN: token,
    });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('"level":"refuse"');
    expect(ran.stdout).toContain('"check":"argument-extra"');
    expect(ran.stdout).toContain('"accepted":1');
    expect(ran.stdout).toContain("2 texts checked: 0 errors, 0 warnings.");
  },
);

it.skipIf(missing.length > 0 && !isRequired)(
  "the page about work has commands that work as they are written",
  async () => {
    const storage = await acmeStorage({ web: ["--locale", "fr"] });
    const token = await createToken(storage);
    const server = await serveInProcess(storage);
    const source = { files: { "a.json": { a: "One", b: "Two", c: "Three" } } };
    await request(server, token, "POST", "/api/hives/web/strings", source);
    // A string that is still claimed, so that there is something to give back.
    const [get = "", answer = "", claims = "", command = ""] = shell(workPage);
    const commands = [get, answer, get, claims, command].join("\n");
    const env = {
      PATH: `${await skepProgram()}:${process.env.PATH ?? ""}`,
      SKEP_SERVER: server.url,
      SKEP_HIVE: "web",
      SKEP_TOKEN: token,
    };
    const folder = realFolder();
    const model = "#!/bin/sh\njq -c '{file, key, forms: {other: (\"[model] \" + .forms[0].source)}}'\n";
    writeFileSync(join(folder, "my-model"), model, { mode: 0o755 });
    const ran = await bash(commands, folder, env);
    expect(ran.code).toBe(0);
    const results = [
      '"state":"missing"',
      '"status":"saved"',
      '"left":1',
      '"by":',
      '{"released":1}',
      "fr: 1 saved.",
    ];
    for (const said of results) expect(ran.stdout).toContain(said);
    const { json } = await request(server, token, "GET", "/api/hives/web/export?locale=fr");
    expect(JSON.parse(json.files["a.json"])).toEqual({ a: "[fr] One", b: "[fr] Two", c: "[model] Three" });
  },
);

it("the page about engines has commands that work as they are written", async () => {
  const storage = await acmeStorage({ web: ["--locale", "fr"] });
  const token = await createToken(storage, ["admin"]);
  const server = await startServer(storage, "--engine-allow", "loopback");
  const source = { files: { "a.json": { a: "One", b: "Two" } } };
  await request(server, token, "POST", "/api/hives/web/strings", source);
  const model = await startModel((text) => `[model] ${text}`);
  // The last block begins with a model and a server of one's own.
  const [add = "", run = "", rules = "", local = ""] = shell(enginesPage);
  const commands = [add, run, rules, local.replaceAll(/^(?:ollama|skep serve).*\n/gm, "")].join("\n");
  const here = commands.replaceAll(
    /https:\/\/api\.mistral\.ai\/v1|http:\/\/127\.0\.0\.1:11434\/v1/g,
    `${model.url}/v1`,
  );
  const env = {
    PATH: `${await skepProgram()}:${process.env.PATH ?? ""}`,
    SKEP_SERVER: server.url,
    SKEP_HIVE: "web",
    SKEP_TOKEN: token,
    MISTRAL_KEY: "a-key",
  };
  const ran = await bash(here, realFolder(), env);
  expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining("skep:")]);
  for (const said of [
    "[model] Hello {name}",
    "Dry run: 2 strings",
    "fr: 2 saved.",
    "Created the engine local",
  ])
    expect(ran.stdout).toContain(said);
  const { json } = await request(server, token, "GET", "/api/hives/web/export?locale=fr");
  expect(JSON.parse(json.files["a.json"])).toEqual({ a: "[model] One", b: "[model] Two" });
});

it("the page about people has commands and rules that work as they are written", async () => {
  const storage = await acmeStorage({ web: ["--locale", "fr"] });
  const folder = realFolder();
  const rules = codeBlocks(readPage(peoplePage)).find(({ language }) => language === "yaml");
  writeFileSync(join(folder, "rules.yaml"), rules?.code ?? "");
  writeFileSync(join(folder, "oidc"), "a secret");
  writeFileSync(join(folder, "smtp"), "a password");
  const isServing = (block: string): boolean => block.startsWith("skep serve");
  // These need a person before a browser; see test/client/login.
  const isOfLogin = (block: string): boolean => /^(?:skep login|git config)/.test(block);
  const commands = shell(peoplePage).filter((block) => !isServing(block) && !isOfLogin(block));
  const env = { PATH: `${await skepProgram()}:${process.env.PATH ?? ""}`, SKEP_STORAGE: storage };
  const ran = await bash(commands.join("\n"), folder, env);
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("/invitation?code=")]);
  for (const block of shell(peoplePage).filter(isServing)) {
    // The shell says what the arguments are.
    const { stdout } = await bash(`skep() { printf '%s\\n' "$@"; }\n${block}`, folder);
    const [, ...flags] = stdout.trimEnd().split("\n");
    const own = flags.map((flag) => flag.replace(/^\/(?:etc\/skep|run\/secrets)\//, `${folder}/`));
    const server = await startServer(storage, ...own);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await server.stop();
  }
});

it("the page about glossaries has commands that work as they are written", async () => {
  const storage = await acmeStorage();
  const token = await createToken(storage);
  const server = await serveInProcess(storage);
  const ran = await bash(shell(glossaryPage).join("\n"), realFolder(), {
    PATH: `${await skepProgram()}:${process.env.PATH ?? ""}`,
    SKEP_SERVER: server.url,
    SKEP_TOKEN: token,
  });
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  for (const said of ["1 term created", "fr: fichier", "1 unchanged", "Set the style of fr."])
    expect(ran.stdout).toContain(said);
});

it("the page about moving has commands that work as they are written", async () => {
  const storage = await acmeStorage({ web: ["--locale", "fr"] });
  const token = await createToken(storage, ["admin"]);
  const server = await serveInProcess(storage);
  const app = join(realFolder(), "app");
  const backup = exportsOfTools.find(({ tool }) => tool === "weblate");
  mkdirSync(join(app, "locales"), { recursive: true });
  writeFileSync(join(app, "skep.yaml"), "hive: web\nfiles:\n  - locales/{locale}.json\n");
  writeFileSync(join(app, "locales/en.json"), '{"hello": "Hello", "menu": {"open": "Open"}, "bye": "Bye"}\n');
  writeFileSync(join(app, "backup.zip"), zipOfTexts(backup?.files ?? {}));
  const ran = await bash(shell(movingPage).join("\n"), app, {
    PATH: `${await skepProgram()}:${process.env.PATH ?? ""}`,
    SKEP_SERVER: server.url,
    SKEP_TOKEN: token,
  });
  expect(ran.code).toBe(0);
  for (const said of ["Weblate has, for web:", "fr: 3 new, 0 changed", "1 new locale: xh", "Sent to web."])
    expect(ran.stdout).toContain(said);
  const { json } = await request(server, token, "GET", "/api/hives/web/export?locale=fr&names=hive");
  expect(Object.keys(json.files)).toEqual(["en.json"]);
  expect(existsSync(join(app, "../web-export/skep-export.json"))).toBe(true);
});

it("the page about reviews has commands that work as they are written", async () => {
  const storage = await acmeStorage();
  const token = await createToken(storage, ["read", "write", "approve"]);
  const server = await serveInProcess(storage);
  const files = { "auth.json": { failed: "Wrong", hello: "Hello" }, "menu.json": { open: "Open" } };
  const [locale = "", ...decisions] = (shell(reviewPage)[0] ?? "").split("\n\n");
  const environment = { PATH: `${await skepProgram()}:${process.env.PATH ?? ""}` };
  expect(await bash(locale, storage, { ...environment, SKEP_STORAGE: storage })).toMatchObject({ code: 0 });
  await request(server, token, "PUT", "/api/hives/web/strings", { files });
  await request(server, token, "POST", "/api/hives/web/translations/fr", { files });
  const ran = await bash(decisions.join("\n"), realFolder(), {
    ...environment,
    SKEP_SERVER: server.url,
    SKEP_TOKEN: token,
  });
  expect([ran.code, ran.stderr]).toEqual([0, "3 translations wait.\n"]);
  for (const said of ["2 fr translations approved", "1 fr translation rejected"])
    expect(ran.stdout).toContain(said);
});
