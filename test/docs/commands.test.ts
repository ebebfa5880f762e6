/** Every command of the pages that people copy from is run here, against a real server. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { layers } from "../lint/layers.ts";
import { codeBlocks, type CodeBlock } from "../helpers/markdown.ts";
import { request, skepOk, startServer } from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const docs = readdirSync(join(root, "docs")).map((name) => `docs/${name}`);
const readPage = (page: string): string => readFileSync(join(root, page), "utf8");
const readme = readPage("README.md");

const shell = (page: string): readonly string[] =>
  codeBlocks(page)
    .filter(({ language }) => language === "sh")
    .map(({ code }) => code);
const [quickStart, ...firstSteps] = shell(readme);

const isRequired = process.env.SKEP_TEST_DEPLOY === "required";
const tools = ["curl", "jq"];
const missing = tools.filter((tool) => spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0);

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function bash(script: string, cwd: string, env: Readonly<Record<string, string>> = {}): Ran {
  const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-eo", "pipefail", "-c", script], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: cwd, GIT_CONFIG_NOSYSTEM: "1", ...env },
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

/** A free port, for a server that must be told one. */
async function freePort(): Promise<string> {
  const server = await startServer(realFolder());
  await server.stop();
  return new URL(server.url).port;
}

it("the README begins with the two commands that other tests and CI run", () => {
  expect(quickStart).toBe("npm ci && npm run demo\nnpm ci && npm test");
});

it("no page has commands that are not run here", () => {
  const others = docs.filter((page) => shell(readPage(page)).length > 0);
  expect(others).toEqual(["docs/api.md"]);
});

it.skipIf(missing.length > 0 && !isRequired)(
  "the first steps work one after the other, as they are written",
  async () => {
    const folder = realFolder();
    const port = await freePort();
    // The checkout that the reader is in, without its storage.
    symlinkSync(join(root, "dist"), join(folder, "dist"));
    mkdirSync(join(folder, "locales"));
    writeFileSync(join(folder, "locales/fr.json"), '{"nothing": "Rien"}');
    const serve = `skep serve >server.log 2>&1 & trap "kill $!" EXIT
      for i in $(seq 200); do curl -sf http://127.0.0.1:4488/healthz >/dev/null && break; sleep 0.05; done`;
    const steps = ['export PATH="$HOME/.local/bin:$PATH"', ...firstSteps];
    const script = [...steps, "rm -rf web", ...shell(readPage("docs/api.md"))].join("\n");
    const ran = bash(script.replace(/^skep serve$/m, serve).replaceAll("4488", port), folder, {
      SKEP_PORT: port,
    });
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining("Made the token")]);
    for (const said of [
      '{"created":2,"updated":0,"unchanged":0,"translations_cleared":0,"deleted":0}',
      '{"created":1,"updated":0,"skipped":0,"unknown":0}',
      String.raw`'failed' => 'Senha errada.',`,
      "Import pt_BR translations: 1 created",
      '"change":"deleted"',
      "{+Wrong password.+}",
      "Restored 0 texts, updated 0, deleted 1, skipped 0.",
    ]) {
      expect(ran.stdout).toContain(said);
    }
  },
);

interface Recipe {
  readonly jobs?: { readonly translations: { readonly steps: readonly { readonly run?: string }[] } };
  readonly translations?: { readonly script: readonly string[] };
}

/** The commands of a recipe, as its CI would run them one after the other. */
function scriptsOf({ code }: CodeBlock): readonly string[] {
  const { jobs, translations }: Recipe = parse(code);
  return [
    ...(jobs?.translations.steps ?? []).flatMap(({ run }) => run ?? []),
    ...(translations?.script ?? []),
  ];
}

const [github, gitlab] = codeBlocks(readme)
  .filter(({ language }) => language === "yaml")
  .map(scriptsOf);

const english = { home: "Home", nav: { bye: "Bye" } };
const french = { home: "Accueil", nav: { bye: "Salut" } };

describe.skipIf(missing.length > 0 && !isRequired)("the recipe", () => {
  it.each([
    {
      name: "GitHub Actions",
      scripts: github,
      sources: { "locales/en.json": english },
      file: "en.json",
      before: { "locales/fr.json": { home: "Maison" } },
      after: { "locales/fr.json": french },
    },
    {
      name: "GitLab CI",
      scripts: gitlab,
      sources: { "lang/en/app.json": english, "lang/en/mail.json": { hi: "Hi" } },
      file: "app.json",
      before: { "lang/fr/app.json": { home: "Maison" }, "lang/fr/mail.json": { hi: "Coucou" } },
      after: { "lang/fr/app.json": french, "lang/fr/mail.json": { hi: "Coucou" } },
    },
  ])(
    "for $name pushes and pulls, and a job is run again",
    async ({ scripts = [], sources, file, before, after }) => {
      const storage = realFolder();
      await skepOk(storage, "team", "create", "acme");
      const locales = ["--locale", "fr", "--locale", "pt-BR=pt_BR"];
      await skepOk(storage, "hive", "create", "web", "--team", "acme", ...locales);
      const abilities = ["--ability", "read", "--ability", "write"];
      const token = await skepOk(storage, "token", "create", "--team", "acme", ...abilities);
      const server = await startServer(storage);
      const app = realFolder();
      for (const [path, content] of Object.entries({ ...sources, ...before })) {
        mkdirSync(dirname(join(app, path)), { recursive: true });
        writeFileSync(join(app, path), JSON.stringify(content));
      }
      const commit = "0123456789".repeat(4);
      const api = "/api/hives/web";
      const env = {
        API: server.url + api,
        TOKEN: token,
        GITHUB_SHA: commit,
        GITHUB_RUN_ID: "17",
        CI_COMMIT_SHA: commit,
        CI_PIPELINE_ID: "17",
      };
      const runAll = (): void => {
        for (const script of scripts) expect(bash(script, app, env)).toMatchObject({ code: 0, stderr: "" });
      };
      const expectFiles = (files: Readonly<Record<string, unknown>>): void => {
        const found = Object.keys(files).map((path) => [
          path,
          JSON.parse(readFileSync(join(app, path), "utf8")),
        ]);
        expect(Object.fromEntries(found)).toEqual(files);
      };
      // On a first run there are no translations yet: those of the app stay.
      runAll();
      expectFiles({ ...sources, ...before });

      const translated = { files: { [file]: french } };
      const reply = await request(server, token, "POST", `${api}/translations/fr`, translated);
      expect(reply.json).toMatchObject({ created: 2 });
      // Somebody else writes, and the job is run again: it does what it says.
      await request(server, token, "POST", `${api}/strings`, { files: { [file]: { home: "Changed" } } });
      runAll();
      expectFiles({ ...sources, ...after });
      const { json } = await request(server, token, "GET", `${api}/strings?file=${file}`);
      expect(json.data).toMatchObject([{ key: "home", source_value: "Home" }, { key: "nav.bye" }]);
      // Once more, and nothing is written.
      runAll();
      const { json: history } = await request(server, token, "GET", `${api}/history?operation=sync`);
      const counts = { deleted: 0 };
      expect(history.data).toMatchObject([
        { ref: commit, counts },
        { ref: commit, counts },
      ]);
    },
  );
});

it("lists every command there is, and no other", () => {
  const listed = codeBlocks(readme).find(({ code }) => code.startsWith("skep serve ["))?.code ?? "";
  const names = [...listed.matchAll(/^skep ([a-z]+)(?: ([a-z|]+)(?= |$))?/gm)].flatMap(
    ([, command = "", inner = ""]) => inner.split("|").map((name) => `${command} ${name}`.trim()),
  );
  const commandsOf = (...path: readonly string[]): string[] => {
    const bin = join(root, "dist/cli.js");
    const { stdout } = spawnSync(process.execPath, [bin, ...path, "--help"], { encoding: "utf8" });
    const [, list = ""] = /\nCommands:\n((?: .*\n)*)/.exec(stdout) ?? [];
    return [...list.matchAll(/^ {2}([a-z]+)/gm)]
      .map(([, name = ""]) => name)
      .filter((name) => name !== "help");
  };
  const all = commandsOf().flatMap((command) => {
    const inner = commandsOf(command).map((name) => `${command} ${name}`);
    return inner.length === 0 ? [command] : inner;
  });
  expect(names.toSorted()).toEqual(all.toSorted());
});

it.each(["README.md", ...docs, "deploy/README.md", "ARCHITECTURE.md"])(
  "links of %s lead somewhere",
  (page) => {
    const text = readPage(page);
    const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path = ""]) =>
      join(dirname(page), path),
    );
    const tests = [...text.matchAll(/`(test\/[a-z0-9/-]+\.test\.ts)/g)].map(([, path = ""]) => path);
    expect([...links, ...tests].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  },
);

it("ARCHITECTURE.md has a line for each folder of the rule table, in its order", () => {
  const listed = Array.from(readPage("ARCHITECTURE.md").matchAll(/^\| `([a-z/]+)` /gm), ([, name]) => name);
  const folders = layers.flatMap(({ name, rooms }) => rooms.map((room) => posix.join(name, room)));
  expect(listed).toEqual(folders);
});
