/** `skep init` at a terminal, with a server. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { Credentials } from "../../../src/client/login/credentials.ts";
import type { Output } from "../../../src/commands/program/output.ts";
import { runCommand } from "../../../src/commands/program.ts";
import { acmeStorage, createToken, request, serveInProcess, type Served } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

let storage: string;
let server: Served;
let home: string;
let folder: string;

beforeEach(async () => {
  storage = await acmeStorage({ other: ["--locale", "fr"] });
  server = await serveInProcess(storage);
  home = realFolder();
  folder = join(realFolder(), "web");
  mkdirSync(join(folder, "locales"), { recursive: true });
  writeFileSync(join(folder, "locales/en.json"), '{"a": "A", "b": "B"}');
  writeFileSync(join(folder, "locales/fr.json"), '{"a": "Un"}');
});

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly questions: readonly string[];
}

/** Runs it in the app. @param answers one to each question; the input ends after the last. */
async function init(
  environment: Readonly<Record<string, string>>,
  answers: readonly string[],
  ...args: readonly string[]
): Promise<Ran> {
  const [outer, before] = [process.env, process.cwd()];
  onTestFinished(() => {
    process.env = outer;
    process.chdir(before);
  });
  process.env = { PATH: outer.PATH, HOME: home, XDG_CONFIG_HOME: home, ...environment };
  process.chdir(folder);
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const rest = [...answers];
  const questions: string[] = [];
  let [stdout, stderr] = ["", ""];
  const output: Output = {
    stdin,
    stdout: { write: (text: string) => (stdout += text) },
    stderr: {
      isTTY: true,
      write: (text: string) => {
        stderr += text;
        if (!text.endsWith(": ")) return;
        questions.push(text.slice(0, -2));
        const answer = rest.shift();
        if (answer === undefined) stdin.end();
        else stdin.write(`${answer}\n`);
      },
    },
  };
  await runCommand(["init", ...args], output);
  process.env = outer;
  process.chdir(before);
  return { code: Number(output.exitCode ?? 0), stdout, stderr, questions };
}

async function textsOf(token: string, locale: string): Promise<unknown> {
  const { json } = await request(server, token, "GET", `/api/hives/web/export?locale=${locale}`);
  return JSON.parse(json.files["locales.json"] ?? Object.values(json.files)[0]);
}

describe("with a token of the environment", () => {
  it("takes the first of everything by Enter: a new Hive, which it creates and fills", async () => {
    const token = await createToken(storage, ["read", "write", "admin"]);
    const { code, stdout, stderr, questions } = await init({ SKEP_SERVER: server.url, SKEP_TOKEN: token }, [
      "",
      "",
      "",
      "",
      "",
      "",
    ]);
    expect([code, questions]).toEqual([
      0,
      [
        `Server [${server.url}]`,
        "Hive, by its number or its name [1]",
        "Name of the new Hive [web]",
        "Write skep.yaml? (Y/n)",
        `Create the Hive web on ${server.url}? (Y/n)`,
        `Push this to web on ${server.url}? (Y/n)`,
      ],
    ]);
    expect(stderr).toContain(`Hives on ${server.url}:\n  1  new    a Hive for this app\n  2  other\n`);
    expect(stdout).toContain(`Created the Hive web on ${server.url}.\n`);
    expect(stdout).toContain("Dry run: nothing was written. web: 2 created");
    expect(stdout.endsWith(`${server.url}/hives/web\n`)).toBe(true);
    expect(await textsOf(token, "en")).toEqual({ a: "A", b: "B" });
    expect(await textsOf(token, "fr")).toEqual({ a: "Un" });
    expect(readFileSync(join(folder, "skep.yaml"), "utf8")).toContain(`server: ${server.url}\nhive: web\n`);
    const { json } = await request(server, token, "GET", "/api/hives/web");
    expect(json.checks.level).toBe("refuse");
  });

  it("offers the Hive of the app's name first, and asks for a yes where strings would be deleted", async () => {
    const token = await createToken(storage, ["read", "write", "admin"]);
    await request(server, token, "POST", "/api/hives", { slug: "web", locales: ["fr"] });
    await request(server, token, "POST", "/api/hives/web/strings", {
      files: { "en.json": { gone: "Gone" } },
    });
    const ran = await init({ SKEP_TOKEN: token }, ["", "", ""], "--server", server.url);
    expect(ran.stderr).toContain("  1  web\n  2  other\n  3  new    a Hive for this app\n");
    expect(ran.questions.at(-1)).toBe(`Push this to web on ${server.url}? (y/N)`);
    expect(await textsOf(token, "en")).toEqual({ gone: "Gone" });
  });

  it("prints what an administrator has to do where the token may not create the Hive", async () => {
    const token = await createToken(storage, ["read", "write"]);
    const { code, stdout, stderr } = await init(
      { SKEP_TOKEN: token },
      ["new", "site", "y", "y"],
      "--server",
      server.url,
    );
    expect(code).toBe(0);
    expect(stderr).toContain("Somebody with the ability admin");
    expect(stdout).toContain(
      "\n  skep hive create site --team TEAM --source-locale en --locale fr --checks refuse\n",
    );
    expect(stdout).toContain("\n  skep push --translations\n");
    expect(existsSync(join(folder, "skep.yaml"))).toBe(true);
  });

  it("takes the Hive of the flag, and pushes nothing after a no", async () => {
    const token = await createToken(storage, ["read", "write"]);
    const args = ["--server", server.url, "--hive", "other"];
    const { stdout, questions } = await init({ SKEP_TOKEN: token }, ["", "n"], ...args);
    expect(questions).toEqual(["Write skep.yaml? (Y/n)", `Push this to other on ${server.url}? (Y/n)`]);
    expect(stdout).toContain("Nothing was pushed.");
    const { json } = await request(server, token, "GET", "/api/hives/other");
    expect(json.string_count).toBe(0);
  });

  it("asks again for a Hive that is none", async () => {
    const token = await createToken(storage, ["read", "write"]);
    const answers = ["9", "nope", "2", "", "n"];
    const { stderr, code } = await init({ SKEP_TOKEN: token }, answers, "--server", server.url);
    expect(code).toBe(0);
    expect(stderr).toContain("There is no Hive 9; new creates one.\n");
    expect(stderr).toContain("There is no Hive nope; new creates one.\n");
    expect(readFileSync(join(folder, "skep.yaml"), "utf8")).toContain("hive: other\n");
  });
});

describe("without a token", () => {
  it("takes one that is typed, and keeps it", async () => {
    const token = await createToken(storage, ["read", "write"]);
    const answers = [server.url, "n", "wrong token", "skp_wrong", "n", token, "2", "", "n"];
    const { code, stderr } = await init({}, answers);
    expect(code).toBe(0);
    expect(stderr).toContain("A token has no blanks");
    expect(stderr).toContain(`The token is in ${join(home, "skep", "credentials.json")}.`);
    const kept = new Credentials({ XDG_CONFIG_HOME: home }, () => Promise.resolve(undefined));
    expect(await kept.find(server.url)).toBe(token);
    expect(stderr).not.toContain(token);
  });

  it("takes that of skep login, and its server", async () => {
    const token = await createToken(storage, ["read", "write"]);
    await new Credentials({ XDG_CONFIG_HOME: home }, () => Promise.resolve(undefined)).save(
      server.url,
      token,
    );
    const { questions } = await init({}, ["", "2", "", "n"]);
    expect(questions.slice(0, 2)).toEqual([`Server [${server.url}]`, "Hive, by its number or its name [1]"]);
  });

  it("says why one cannot sign in, and goes on without a token", async () => {
    const { code, stdout, questions } = await init({}, [server.url, "", "", "", ""]);
    expect(code).toBe(0);
    expect(questions).toEqual([
      "Server (empty: leave it to be filled in)",
      `Sign in to ${server.url} in your browser? (Y/n)`,
      "Token, which is shown as you type it (empty: go on without one)",
      "Hive [web]",
      "Write skep.yaml? (Y/n)",
    ]);
    expect(stdout).toContain("skep hive create web --team TEAM");
    expect(basename(folder)).toBe("web");
  });
});

it.each([0, 1, 2, 3, 4])("writes nothing where the input ends after %i answers", async (many) => {
  const answers = [server.url, "n", "", "web"].slice(0, many);
  const { code, stderr } = await init({}, answers);
  expect([code, stderr.trimEnd().split("\n").at(-1)]).toEqual([1, "skep: Nothing was written."]);
  expect(existsSync(join(folder, "skep.yaml"))).toBe(false);
});

it("asks nothing with --yes, and sends nothing", async () => {
  const env = { SKEP_SERVER: "http://127.0.0.1:1", SKEP_TOKEN: "skp_x" };
  const { code, questions, stdout } = await init(env, [], "--yes");
  expect([code, questions]).toEqual([0, []]);
  expect(stdout).toContain("skep hive create web --team TEAM");
});
