/** The helper of deploy/ci for pictures from a test run: real pages in a real browser. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "./pages.ts";
import { makeApp } from "../helpers/app-tree.ts";
import { request } from "../helpers/process.ts";
import { isMissing, openInChromium } from "../e2e/console/browser.ts";

describe.skipIf(isMissing("chromium"))("pictures from a test run", () => {
  it("come to the Hive with the boxes of their strings", async () => {
    const app = await makeApp({ patterns: ["locales/{locale}/*.json"], locales: ["fr"] });
    app.write({ "locales/en/auth.json": '{ "title": "Log in", "below": "Far below" }' });
    await app.run("push");
    copyFileSync(join(root, "deploy/ci/shots.mjs"), join(app.folder, "shoot.mjs"));
    const { shoot } = await import(pathToFileURL(join(app.folder, "shoot.mjs")).href);
    const before = process.cwd();
    process.chdir(app.folder);
    onTestFinished(() => process.chdir(before));
    const page = await openInChromium({ viewport: { width: 400, height: 300 } });
    await page.setContent(
      '<h1 data-string="auth.json:title">Log in</h1><p style="margin-top: 900px" data-string="auth.json:below">Far below</p>',
    );
    await shoot(page, "login", ["auth.json:title"]);
    expect(await app.run("picture add", "--from", "shots/shots.json")).toMatchObject({ code: 0 });
    const { json } = await request({ url: app.url }, app.token, "GET", "/api/hives/web/pictures");
    expect(json.data).toMatchObject([
      { name: "login.jpeg", type: "jpeg", width: 400, height: 300, boxes: [{ string: "auth.json:title" }] },
    ]);
    expect(json.data[0].boxes).toHaveLength(1);
  });
});
