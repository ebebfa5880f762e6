/** An app whose files have formats that their names do not say: a push has the Hive know them. */
import { beforeEach, describe, expect, it } from "vitest";
import { makeApp, type AppTree } from "../helpers/app-tree.ts";
import { request } from "../helpers/process.ts";

const xliff = (texts: string): string =>
  `<xliff version="1.2"><file source-language="en" target-language="fr" original="a" datatype="x"><body>${texts}</body></file></xliff>\n`;
const unit = (target = ""): string =>
  `<trans-unit id="a"><source>&lt;b>One&lt;/b></source>${target}</trans-unit>`;
const files = {
  "messages/en.xml": xliff(unit()),
  "messages/fr.xml": xliff(unit("<target><b>Un</b></target>")),
};
const pattern = "{ path: 'messages/{locale}.xml', format: xliff }";
const rules = [{ files: "*.xml", format: "xliff" }];
const settings = "source: en\nchecks: { syntax: [{ files: '*', syntax: text }] }\n";

const appOf = async (...abilities: readonly ("read" | "write" | "admin")[]): Promise<AppTree> => {
  const app = await makeApp({ patterns: [pattern], settings, abilities, locales: ["fr"] });
  app.write(files);
  return app;
};
const formatsOf = async ({ url, token }: AppTree, hive = "web") =>
  (await request({ url }, token, "GET", `/api/hives/${hive}`)).json.checks.formats;
const findingsOf = async ({ url, token }: AppTree, hive = "web") => {
  const { json } = await request({ url }, token, "GET", `/api/hives/${hive}/checks?locale=fr`);
  return json.data.map(({ check, message }: { check: string; message: string }) => `${check}: ${message}`);
};

let app: AppTree;

describe("with the ability admin, --create", () => {
  beforeEach(async () => {
    app = await appOf("read", "write", "admin");
  });

  it.each(["new", "web"])("tells the Hive %s, which then finds what skep check finds", async (hive) => {
    const args = ["--hive", hive, "--translations", "--create"];
    const dry = await app.run("push", ...args, "--dry-run");
    expect(dry.stderr.includes("--file-format '*.xml=xliff'")).toBe(hive === "web");
    const pushed = await app.run("push", ...args);
    expect(pushed).toMatchObject({ code: 0, stderr: expect.not.stringContaining("--file-format") });
    expect(await formatsOf(app, hive)).toEqual(rules);
    const { stdout } = await app.run("check", "--json");
    const found = JSON.parse(stdout).findings.map(
      ({ check, message }: { check: string; message: string }) => `${check}: ${message}`,
    );
    const kept = await findingsOf(app, hive);
    expect(kept.filter((one: string) => one.startsWith("format"))).toHaveLength(1);
    expect(found.filter((one: string) => one.startsWith("format"))).toEqual(
      kept.filter((one: string) => one.startsWith("format")),
    );
  });

  it("keeps the rules of other apps, and mends one that became wrong", async () => {
    const other = { files: "other.txt", format: "ini" };
    const formats = [other, { files: "*.xml", format: "resx" }];
    await app.manage("PATCH", "", { checks: { formats } });
    await app.run("push", "--create");
    expect(await formatsOf(app)).toEqual([other, ...rules]);
  });
});

it.each([[[]], [["--create"]]])("without that ability, a push with %j says what to do", async (args) => {
  app = await appOf("read", "write");
  const { code, stderr } = await app.run("push", ...args);
  expect([code, stderr]).toEqual([0, expect.stringContaining("skep push --create tells it")]);
  expect(stderr).toContain("web takes en.xml for a file of the format android, not xliff");
  expect(stderr).toContain(" skep hive edit web --file-format '*.xml=xliff'\n");
  await app.manage("PATCH", "", { checks: { formats: rules } });
  expect((await app.run("push", ...args)).stderr).not.toContain("--file-format");
});

it("nothing is said of formats that are judged alike, nor with a token that cannot read", async () => {
  app = await makeApp({ patterns: ["{ path: 'config/{locale}.yml', format: rails }"], settings });
  app.write({ "config/en.yml": "en:\n  a: A\n" });
  expect((await app.run("push")).stderr).not.toContain("--file-format");
  app = await appOf("write");
  expect(await app.run("push")).toMatchObject({ code: 0, stderr: expect.not.stringContaining("format") });
});
