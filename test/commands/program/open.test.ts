/** `skep open`: addresses of the console, which must be those of its pages. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runCommand } from "../../../src/commands/program.ts";
import { browserProgram } from "../../../src/commands/program/browser.ts";
import type { Output } from "../../../src/commands/program/output.ts";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";
import { eventually } from "../../helpers/eventually.ts";
import { request } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

const texts = { failed: "Failed", "a/b": "Slash", ".": "Dot", "ü ?&": "Signs" };
let app: AppTree;

beforeEach(async () => {
  app = await makeApp({ patterns: ["lang/{locale}.json"] });
  await app.sync({ "auth.json": texts, "mail/new.json": { subject: "New" } });
});

afterEach(() => void vi.unstubAllEnvs());

/** The cookies of somebody who has signed in. */
async function signIn(): Promise<string> {
  const response = await fetch(`${app.url}/sign-in`, {
    method: "POST",
    body: new URLSearchParams({ token: app.token }),
    headers: { origin: app.url },
    redirect: "manual",
  });
  return response.headers
    .getSetCookie()
    .map((line) => line.replace(/;.*/, ""))
    .join("; ");
}

describe("prints the address of a page", () => {
  it.each([
    [[], "/hives/web", "Languages"],
    [["auth.json:failed"], "/hives/web/strings/auth.json/failed", "Failed"],
    [["mail/new.json:subject"], "/hives/web/strings/mail%2Fnew.json/subject", "New"],
    [["auth.json:a/b"], "/hives/web/strings/auth.json/a%2Fb", "Slash"],
    [["auth.json:."], "/hives/web/strings/auth.json?key=dot", "Dot"],
    [["auth.json:ü ?&"], "/hives/web/strings/auth.json/%C3%BC%20%3F%26", "Signs"],
    [["auth.json:failed", "--locale", "fr"], "/hives/web/strings/auth.json/failed?locale=fr", "textarea"],
    [["auth.json"], "/hives/web/strings?file=auth.json", "Failed"],
    [["--locale", "fr"], "/hives/web/translate/fr", "Failed"],
    [["--locale", "pt-BR"], "/hives/web/translate/pt_BR", "Failed"],
    [["mail/new.json", "--locale", "fr"], "/hives/web/translate/fr?file=mail%2Fnew.json", "New"],
    [
      ["auth.json:failed", "--branch", "new"],
      "/hives/web/strings/auth.json/failed?branch=new",
      "On a branch",
    ],
  ])("of skep open %j", async (args, path, shown) => {
    if (args.includes("--branch")) {
      await app.run("branch create", "new");
      const files = { "auth.json": { ...texts, failed: "On a branch" } };
      await request(app, app.token, "PUT", "/api/hives/web/strings?branch=new", { files });
    }
    const ended = await app.run("open", ...args);
    expect(ended).toEqual({ code: 0, stdout: `${app.url}${path}\n`, stderr: "" });
    const headers = { cookie: await signIn(), accept: "text/html" };
    const page = await fetch(ended.stdout.trim(), { headers, redirect: "manual" });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain(shown);
  });

  it("as JSON", async () => {
    const { stdout } = await app.run("open", "--json");
    expect(JSON.parse(stdout)).toEqual({ url: `${app.url}/hives/web` });
  });

  it("refuses a locale that the Hive does not have", async () => {
    expect(await app.run("open", "--locale", "de")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("de is not a target locale of the Hive"),
    });
  });
});

describe("opens a browser", () => {
  const display = { DISPLAY: ":0" };
  it.each([
    ["a Linux desktop", "linux", display, ["xdg-open"]],
    ["Wayland", "linux", { WAYLAND_DISPLAY: "wayland-0" }, ["xdg-open"]],
    ["macOS", "darwin", {}, ["open"]],
    ["Windows", "win32", {}, ["rundll32", "url.dll,FileProtocolHandler"]],
    ["a machine without a display", "linux", { DISPLAY: "" }, undefined],
    ["a CI system", "darwin", { CI: "true" }, undefined],
    ["another machine", "linux", { ...display, SSH_CONNECTION: "10.0.0.1 22" }, undefined],
  ] as const)("on %s", (_, platform, environment, program) => {
    expect(browserProgram({ isTerminal: true, platform, environment })).toEqual(program);
    expect(browserProgram({ isTerminal: false, platform, environment })).toBe(undefined);
  });

  it.runIf(process.platform === "linux")("with the address as one argument, on a terminal only", async () => {
    const folder = realFolder();
    const opened = join(folder, "opened");
    writeFileSync(
      join(folder, "xdg-open"),
      `#!/bin/sh\nprintf '%s|' "$#" "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`,
    );
    chmodSync(join(folder, "xdg-open"), 0o755);
    for (const [name, value] of Object.entries({
      PATH: `${folder}:${process.env.PATH}`,
      DISPLAY: ":0",
      CI: "",
      SSH_CONNECTION: "",
    }))
      vi.stubEnv(name, value);
    vi.stubEnv("SKEP_TOKEN", app.token);
    const args = ["open", "auth.json:a;b $(c)", "--config", join(app.folder, "skep.yaml")];
    const run = (isTTY: boolean) => {
      const to: Output = { stdout: { isTTY, write: () => undefined }, stderr: { write: () => undefined } };
      return runCommand(args, to);
    };
    await run(false);
    expect(existsSync(opened)).toBe(false);
    await run(true);
    await eventually(() => expect(existsSync(opened)).toBe(true));
    const url = `${app.url}/hives/web/strings/auth.json/a%3Bb%20%24(c)`;
    expect(readFileSync(opened, "utf8")).toBe(`1|${url}|`);
  });
});
