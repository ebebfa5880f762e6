/** Branches in the console, merges with a preview, and comparisons of any two states. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Storage } from "../../../src/service/storage.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { type Call, type WebOptions } from "../../helpers/storage.ts";
import { hiddenIn, prepareBrowser, signedIn, type ConsoleBrowser, type Page } from "./browse.ts";

let storage: Storage;
let call: Call;
let browser: ConsoleBrowser;
const web = hiveAt(() => call);
const { post, fill, put, exported, history, translate } = web;

const api = "/api/hives/web";
const branch = "/hives/web/branches/feature%2Flogin";

/** Makes a Hive with a tag, and a branch that changed one text that main changed too, and another that it did not. */
const options: WebOptions = {
  locales: ["fr"],
  token: { name: "Lead", abilities: ["read", "write", "admin"] },
};
const prepared = prepareBrowser(options, async (web) => {
  ({ call } = web);
  const importTexts = (texts: object, query = "") => post({ "a.json": texts }, { query });
  await importTexts({ x: "X", y: "Y" });
  await call("POST", `${api}/tags`, { body: { name: "v1.0" } });
  await call("POST", `${api}/branches`, { body: { name: "feature/login" } });
  await importTexts({ x: "X of the branch", z: "Zed" }, "branch=feature/login");
  await importTexts({ x: "X of main" });
});
beforeEach(async () => {
  ({ storage, call, browser } = await prepared());
});

const mainTexts = async (): Promise<object> => {
  const { data } = (await call("GET", `${api}/strings`)).json;
  return Object.fromEntries(
    data.map((one: Record<"key" | "source_value", string>) => [one.key, one.source_value]),
  );
};

async function sendForm(page: Page, path: string, more: Record<string, string> = {}): Promise<Page> {
  const form = page.html.split("<form").find((one) => one.includes('name="on_conflict"')) ?? "";
  return browser.post(path, { ...hiddenIn(form), ...more });
}

describe("the branches of a Hive", () => {
  it("are listed with their distance from main, and link to their pages", async () => {
    expect((await browser.get("/hives/web")).text).toContain("Branches All branches feature/login");
    const { text, html } = await browser.get("/hives/web/branches");
    expect(text).toContain("feature/login 1 commit ahead of main 1 commit behind");
    expect(html).toContain("branches/feature%2Flogin");
  });

  it("show their changes, and conflicts with main with both texts", async () => {
    const { text } = await browser.get(branch);
    expect(text).toContain("1 of its changes conflicts with main.");
    expect(text).toContain("main X of main branch X of the branch");
    expect(text).toContain("2 changes");
  });

  it("say of texts that stayed as they were what was done: moved, confirmed, approved", async () => {
    const onMain = { y: "Ÿ", x: "Xe" };
    await translate("fr", { "a.json": onMain });
    const model = { "x-commit-origin": "model" };
    await translate("fr", { "a.json": { x: "Xé" } }, { headers: model });
    await post({ "a.json": { y: "Y again" } });
    await call("POST", `${api}/branches`, { body: { name: "kept" } });
    const onBranch = (path: string, body: object) => call("POST", `${api}${path}?branch=kept`, { body });
    await onBranch("/stale/confirm", { locale: "fr", file: "a.json", keys: ["y"] });
    await onBranch("/review/approve", { locale: "fr", file: "a.json", keys: ["x"] });
    await onBranch("/keys/move", {
      moves: [{ from: { file: "a.json", key: "x" }, to: { file: "a.json", key: "moved.x" } }],
    });
    const { text, html } = await browser.get("/hives/web/branches/kept");
    expect(text).toContain("moved.x moved from x a.json");
    expect(text).toContain("y confirmed Ÿ");
    expect(text).toContain("moved.x approved Xé");
    expect(html).not.toContain("history?file=a.json&amp;key=moved.x");
  });

  it("show what they changed in notes, and where main changed the same", async () => {
    const say = (note: object, query = "") =>
      call("PATCH", `${api}/notes${query}`, { body: { files: { "a.json": { y: note } } } });
    await post({ "a.json": { x: "X of the branch" } });
    await say({ note: "A <b>note</b> of main", tags: ["main"] });
    await say({ note: "Of the branch", max_length: 9 }, "?branch=feature/login");
    const { data, conflicts } = (await call("GET", `${api}/branches/feature%2Flogin/changes`)).json;
    expect(conflicts).toBe(1);
    expect(data.filter(({ change }: { change: string }) => change === "note")).toEqual([
      {
        change: "note",
        locale: "en",
        file: "a.json",
        key: "y",
        member: "note",
        before: null,
        after: "Of the branch",
        conflict: { reason: "note", main: "A <b>note</b> of main" },
      },
      {
        change: "note",
        locale: "en",
        file: "a.json",
        key: "y",
        member: "max_length",
        before: null,
        after: "9",
      },
    ]);
    for (const path of [branch, `${branch}/merge`]) {
      const { text } = await browser.get(path);
      expect(text, path).toContain("y note: note main A <b>note</b> of main branch Of the branch");
    }
    expect((await browser.get(branch)).text).toContain("y note: max length 9");
  });

  it("show an approval that conflicts with a change", async () => {
    await call("PATCH", `${api}/locales/fr`, { body: { review: "all" } });
    await fill("fr", { "a.json": { y: "Wai" } });
    await call("POST", `${api}/branches`, { body: { name: "review" } });
    const approved = { locale: "fr", file: "a.json", keys: ["y"] };
    expect(
      (await call("POST", `${api}/review/approve?branch=review`, { body: approved })).json.approved,
    ).toBe(1);
    await translate("fr", { "a.json": { y: "Autre" } });
    const { data } = (await call("GET", `${api}/branches/review/changes`)).json;
    expect(data).toMatchObject([{ key: "y", conflict: { reason: "confirmed", main: "Autre" } }]);
    expect((await browser.get("/hives/web/branches/review")).text).toContain("conflicts with main");
    expect((await browser.get("/hives/web/branches/review/merge")).text).toContain("1 conflict");
  });

  it("link each changed key to its string, or to the history of a deleted one", async () => {
    await put({ "a.json": { x: "X of the branch", z: "Zed" } }, { query: "branch=feature/login" });
    const hrefs = async (path: string): Promise<readonly string[]> =>
      Array.from(
        (await browser.get(path)).html.matchAll(/ href="[./]*(hives[^"]*)"[^>]*><code>/g),
        ([, to = ""]) => decodeURIComponent(to),
      );
    expect(await hrefs(branch)).toEqual(
      expect.arrayContaining([
        "hives/web/strings/a.json/x?branch=feature/login",
        "hives/web/strings/a.json/z?branch=feature/login",
        "hives/web/history?branch=feature/login&amp;file=a.json&amp;key=y",
      ]),
    );
    const created = "hives/web/strings/a.json/z?branch=feature/login";
    expect(await hrefs(`${branch}/merge`)).toEqual([
      "hives/web/strings?locale=en",
      "hives/web/strings?locale=en&amp;file=a.json",
      "hives/web/strings/a.json/x",
      // What is merged beside the conflict is on the branch.
      "hives/web/strings?branch=feature/login&amp;locale=en",
      "hives/web/strings?branch=feature/login&amp;locale=en&amp;file=a.json",
      created,
      "hives/web/history?branch=feature/login&amp;file=a.json&amp;key=y",
    ]);
    expect(await hrefs(`${branch}/merge?on_conflict=branch`)).toContain(created);
    const range = encodeURIComponent("main...feature/login");
    expect(await hrefs(`/hives/web/compare/${range}`)).toContain(created);
    expect((await browser.get(`/${created}`)).status).toBe(200);
  });

  it("are not found under an unknown name", async () => {
    expect((await browser.get("/hives/web/branches/other")).status).toBe(404);
  });
});

describe("a merge in the console", () => {
  it("with conflicts offers to take one side, previews the changes, and merges", async () => {
    const refused = await browser.get(`${branch}/merge`);
    expect(refused.text).toContain("1 conflict: main and the branch have changed this differently.");
    expect(refused.html).not.toContain('<button class="primary">Merge');
    const planned = await browser.get(`${branch}/merge?on_conflict=branch`);
    expect(planned.text).toContain("2 texts would change");
    expect(await mainTexts()).toEqual({ x: "X of main", y: "Y" });
    const { status, headers } = await sendForm(planned, `${branch}/merge`, {
      message: "Login",
      delete: "yes",
    });
    expect([status, headers.get("location")]).toEqual([303, expect.stringMatching(/history\/[0-9a-f]{40}$/)]);
    expect(await mainTexts()).toEqual({ x: "X of the branch", y: "Y", z: "Zed" });
    expect((await browser.get(branch)).status).toBe(404);
  });

  it("does nothing if main has changed since its preview", async () => {
    const planned = await browser.get(`${branch}/merge?on_conflict=main`);
    await post({ "a.json": { y: "Y2" } });
    expect((await sendForm(planned, `${branch}/merge`)).status).toBe(412);
    expect(await mainTexts()).toEqual({ x: "X of main", y: "Y2" });
  });

  it("can bring main into the branch", async () => {
    const planned = await browser.get(`${branch}/merge?into=branch&on_conflict=main`);
    const { headers } = await sendForm(planned, `${branch}/merge`);
    expect(headers.get("location")).toMatch(/branches\/feature%2Flogin$/);
    expect((await browser.get("/hives/web/branches")).text).not.toContain("behind");
  });

  it("is refused to a token that may only read", async () => {
    const reader = await signedIn(storage, { abilities: ["read"] });
    expect((await reader.get(branch)).html).not.toContain("Merge into main");
    expect((await reader.get(`${branch}/merge`)).status).toBe(403);
  });
});

describe("conflicts of a merge in the console", () => {
  const place = (key: string, locale = "en") => JSON.stringify([locale, "a.json", key]);
  const importTexts = (texts: object, query = "") => post({ "a.json": texts }, { query });
  const translate = (texts: object, query = "") => web.translate("fr", { "a.json": texts }, { query });
  /** Two conflicts: of the source text `x`, and of the French text of `y`. */
  const conflicts = async (): Promise<Page> => {
    await translate({ y: "Y principal" });
    await translate({ y: "Y de la branche" }, "branch=feature/login");
    return browser.get(`${branch}/merge`);
  };
  const formIn = ({ html }: Page): string =>
    html.split("<form").find((one) => one.includes('name="place.0"')) ?? "";
  const settle = (page: Page, fields: Record<string, string>): Promise<Page> =>
    browser.post(`${branch}/merge`, { ...hiddenIn(formIn(page)), ...fields });
  const french = async () => JSON.parse((await exported("locale=fr")).json.files["a.json"] ?? "{}");

  it("are shown with both texts and their difference, and asked for one by one", async () => {
    const { html, text } = await conflicts();
    expect(text).toContain("2 conflicts: main and the branch have changed these differently.");
    expect(text).toContain("main X of main branch X of the branch From main to branch X of");
    expect(html).toContain("<del>main</del>");
    for (const value of ["main", "branch", "own"])
      expect(html).toMatch(new RegExp(`<input type="radio" name="take.1" value="${value}" required`));
    expect(text).toContain("y source Y main Y principal branch Y de la branche");
    expect(text).toContain("Apply 2");
    expect(text).toContain("Beside these, there would be 1 change.");
  });

  it("are told apart from all else that would change, which is counted as it is listed", async () => {
    const body = { files: { "a.json": { z: { note: "A letter" } } } };
    await call("PATCH", `${api}/notes?branch=feature/login`, { body });
    const { text } = await conflicts();
    expect(text).toContain("Beside these, there would be 2 changes.");
    expect(text).toContain("note: note A letter");
  });

  it("are applied by one commit: the text of main, of the branch, or another", async () => {
    const page = await conflicts();
    const { status, headers } = await settle(page, {
      "take.0": "branch",
      "take.1": "own",
      "text.1": "Y à nous",
      message: "Both",
    });
    expect([status, headers.get("location")]).toEqual([303, expect.stringMatching(/history\/[0-9a-f]{40}$/)]);
    expect([await mainTexts(), await french()]).toEqual([
      { x: "X of the branch", y: "Y", z: "Zed" },
      { y: "Y à nous" },
    ]);
    const [last] = (await history()).json.data;
    expect(last).toMatchObject({ operation: "merge", message: "Both" });
  });

  it("keep what was chosen and written where one has no choice, or a text cannot be used", async () => {
    const page = await conflicts();
    const half = await settle(page, { "take.1": "own", "text.1": "Y à nous", message: "Why" });
    expect(half.status).toBe(422);
    expect(half.html).toMatch(/id="problem-text-0"><bdi>Choose what is taken here/);
    expect(half.html).toMatch(/name="take.1" value="own" required[^>]* checked/);
    expect(half.html).toMatch(/name="text.1"[^>]*>\nY à nous</);
    expect(half.html).toContain('name="message" maxlength="1000" value="Why"');
    const empty = await settle(page, { "take.0": "main", "take.1": "own", "text.1": "" });
    expect([empty.status, empty.html]).toEqual([
      422,
      expect.stringMatching(/id="problem-text-1"><bdi>must not be empty/),
    ]);
  });

  it.each([
    ["main", ""],
    ["the branch", "branch=feature/login"],
  ])("are shown again with what was chosen once %s has changed, and applied then", async (_, query) => {
    const page = await conflicts();
    const chosen = { "take.0": "main", "take.1": "own", "text.1": "Y à nous" };
    await importTexts({ w: "W" }, query);
    const again = await settle(page, chosen);
    expect([again.status, await french()]).toEqual([409, { y: "Y principal" }]);
    expect(again.text).toContain("has changed meanwhile, so nothing was merged");
    expect(again.html).toMatch(/name="take.0" value="main" required[^>]* checked/);
    expect(again.html).toMatch(/name="text.1"[^>]*>\nY à nous</);
    expect((await settle(again, chosen)).status).toBe(303);
    expect(await french()).toEqual({ y: "Y à nous" });
  });

  it("show what was written for one that is none any more", async () => {
    const page = await conflicts();
    await translate({ y: "Y de la branche" });
    const again = await settle(page, { "take.0": "main", "take.1": "own", "text.1": "Y à nous" });
    expect(again.status).toBe(409);
    expect(again.text).toContain("These are no conflicts any more. You had written: y Y à nous");
    expect(again.text).toContain("1 conflict:");
  });

  it("show at its text what checks have found", async () => {
    await call("PATCH", api, { body: { checks: { level: "refuse" } } });
    await importTexts({ y: "Hi {{name}}" });
    await importTexts({ y: "Hi {{name}}" }, "branch=feature/login");
    await translate({ y: "Salut {{name}}" });
    await translate({ y: "Bonjour {{name}}" }, "branch=feature/login");
    const page = await browser.get(`${branch}/merge`);
    const { status, html } = await settle(page, {
      "take.0": "main",
      "take.1": "own",
      "text.1": "Oh {{nom}}",
    });
    expect([status, html]).toEqual([422, expect.stringMatching(/id="problem-text-1"><bdi>[^<]*nom/)]);
    expect(html).toMatch(/name="text.1"[^>]*>\nOh \{\{nom\}\}</);
  });

  it("may take a string in place of a group of main", async () => {
    await put({ "a.json": { g: "G" } });
    await call("POST", `${api}/branches`, { body: { name: "groups" } });
    await put({ "a.json": { g: { x: "X" } } });
    await importTexts({ g: "G of the branch" }, "branch=groups");
    const at = "/hives/web/branches/groups/merge";
    const page = await browser.get(at);
    const hidden = hiddenIn(formIn(page));
    expect(hidden).toMatchObject({ "place.0": place("g") });
    expect((await browser.post(at, { ...hidden, "take.0": "branch" })).status).toBe(303);
    expect(await mainTexts()).toEqual({ g: "G of the branch" });
  });

  it("refuse a form whose places are none", async () => {
    const page = await conflicts();
    expect((await settle(page, { "place.0": "[]", "take.0": "main" })).status).toBe(422);
  });
});

describe("a comparison", () => {
  it("of a tag, a branch, a commit or a date with another has its own address", async () => {
    const [, first] = (await history()).json.data;
    for (const range of ["v1.0...main", `${first.commit}...main`, "v1.0...9999-01-01"]) {
      const { text } = await browser.get(`/hives/web/compare/${encodeURIComponent(range)}`);
      expect(text).toContain("1 text differs");
      expect(text).toContain("X of main");
    }
    const { text } = await browser.get(`/hives/web/compare/${encodeURIComponent("v1.0...feature/login")}`);
    expect(text).toContain("2 texts differ");
    expect((await browser.get("/hives/web/compare?from=v1.0")).text).toContain("1 text differs");
    expect((await browser.get("/hives/web/compare/v1.0...feature/login")).text).toContain("2 texts differ");
  });

  it("can show a single locale", async () => {
    await fill("fr", { "a.json": { y: "I" } });
    const range = `/hives/web/compare/${encodeURIComponent("v1.0...main")}`;
    expect((await browser.get(range)).text).toContain("2 texts differ");
    expect((await browser.get(`${range}?locale=fr`)).text).toContain("1 text differs");
  });

  it("names an unknown state", async () => {
    const unknown = await browser.get("/hives/web/compare?from=nothing");
    expect([unknown.status, unknown.html]).toEqual([
      422,
      expect.stringMatching(/name="from"[^>]*value="nothing"[^]*id="problem-filter-from"><bdi>/),
    ]);
    expect((await browser.get("/hives/web/compare/a..b")).status).toBe(422);
    const { text, html } = await browser.get("/hives/web/compare");
    expect(text).toContain("Choose two");
    const suggested = /<datalist.*?<\/datalist>/s.exec(html)?.[0].matchAll(/<option value="([^"]+)"/g) ?? [];
    expect(Array.from(suggested, ([, name]) => name)).toEqual(["main", "v1.0", "feature/login"]);
  });
});
