/** What an admin does in the console: Hives with their locales, files, tags, branches and channels, and webhooks. */
import { beforeEach, describe, expect, it } from "vitest";
import { toTeamName } from "../../../src/domain/names.ts";
import { disableWebhook } from "../../../src/service/admin/webhooks.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { type Call, type WebOptions } from "../../helpers/storage.ts";
import { hiddenIn, prepareBrowser, signedIn, type ConsoleBrowser, type Page } from "./browse.ts";

let storage: Storage;
let call: Call;
let browser: ConsoleBrowser;
const { fill, put, history, exported, translate } = hiveAt(() => call);

const api = "/api/hives/web";

const options: WebOptions = { locales: ["fr"], token: { abilities: ["admin"] } };
const prepared = prepareBrowser(options, async (web) => {
  ({ call } = web);
  await call("POST", `${api}/strings`, { body: { files: { "a.json": { x: "X" }, "b.json": { y: "Y" } } } });
  await fill("fr", { "a.json": { x: "Ix" } });
});
beforeEach(async () => {
  ({ storage, call, browser } = await prepared());
});

const post = async (path: string, fields: Record<string, string> = {}, by = browser): Promise<Page> =>
  by.submit(path, fields);
/** Sends a form that is taken, and gives the page that it leads to. */
const done = async (path: string, fields: Record<string, string> = {}): Promise<string> => {
  const { status, headers, text } = await post(path, fields);
  expect([path, status, text]).toEqual([path, 303, ""]);
  const to = new URL(headers.get("location") ?? "", `http://x${path}`);
  return (await browser.get(to.pathname + to.search)).text;
};
/** The fields of the form with a primary button, as a browser sends them when nobody has changed any. */
const fieldsIn = (html: string): Record<string, string> => {
  const form = html.split("<form").find((one) => one.includes('<button class="primary"')) ?? "";
  const attribute = (tag: string, name: string): string =>
    new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
  const inputs = Array.from(form.matchAll(/<input[^>]*>/g), ([tag]) => tag)
    .filter((tag) => !tag.includes('type="checkbox"') || /\schecked\b/.test(tag))
    .map((tag) => [attribute(tag, "name"), attribute(tag, "value")]);
  const choices = Array.from(
    form.matchAll(/(<select[^>]*>)(.*?)<\/select>/gs),
    ([, tag = "", options = ""]) => {
      const tags = options.match(/<option[^>]*>/g) ?? [];
      const chosen = tags.find((option) => / selected\b/.test(option)) ?? tags[0] ?? "";
      return [attribute(tag, "name"), attribute(chosen, "value")];
    },
  );
  return Object.fromEntries([...inputs, ...choices]);
};
const hive = async (): Promise<object> => (await call("PATCH", api, { body: { push: "branches" } })).json;

describe("a Hive", () => {
  it("is created by a form, which shows errors and keeps the input", async () => {
    const fields = { slug: "shop", name: "Web shop", source_locale: "en", locales: "fr, pt-BR=pt_BR" };
    expect((await browser.get("/")).text).toContain("New Hive…");
    const wrong = await post("/new-hive", { ...fields, locales: "fr, x_y" });
    expect([wrong.status, wrong.html]).toEqual([
      422,
      expect.stringMatching(/id="problem-new-hive-locales"><bdi>/),
    ]);
    expect(wrong.html).toContain('value="Web shop"');
    expect(await done("/new-hive", fields)).toContain(
      "Created. Web shop shop 0 strings in English (en) The texts of the app will be here.",
    );
    const taken = await post("/new-hive", fields);
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining("is taken")]);
    const locales = (await call("GET", "/api/hives/shop/locales")).json.data;
    expect(locales.map((one: { code: string }) => one.code)).toEqual(["en", "fr", "pt-BR"]);
  });

  const settings = "/hives/web/settings";
  /** A form of the settings as its page has it, with other values. */
  const change = async (section: string, fields: Record<string, string>) => {
    const { html } = await browser.get(`${settings}/${section}`);
    const form = html.split("<form").find((one) => one.includes('name="change" value="web"')) ?? "";
    return { ...hiddenIn(form), ...fields };
  };

  it("has settings in sections, to the first of which their old address leads", async () => {
    const { status, headers } = await browser.get(settings);
    expect([status, headers.get("location")]).toEqual([303, expect.stringMatching(/settings\/general$/)]);
    for (const [section, title] of [
      ["general", "General"],
      ["languages", "Languages"],
      ["checks", "Checks"],
      ["files", "Files"],
    ]) {
      const { html } = await browser.get(`${settings}/${section}`);
      expect(html).toMatch(new RegExp(`aria-current="page">${title}</a>`));
    }
  });

  it("has settings that an admin changes, those of a section at a time", async () => {
    const general = { name: "Shop", max_deletions: "7", push: "all" };
    expect(await done(`${settings}/general`, await change("general", general))).toContain("Saved.");
    expect(await done(`${settings}/files`, await change("files", { plurals: "none" }))).toContain("Saved.");
    const stored = async () => (await call("GET", api)).json;
    expect(await stored()).toMatchObject({ ...general, max_deletions: 7, plurals: "none" });
    await done(`${settings}/general`, await change("general", { ...general, max_deletions: "" }));
    expect(await stored()).toMatchObject({ ...general, max_deletions: null, plurals: "none" });
    const fields = await change("general", { ...general, name: "Other", max_deletions: "-1" });
    const wrong = await post(`${settings}/general`, fields);
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('value="Other"')]);
    expect(wrong.html).toMatch(/id="problem-settings\/general-max_deletions"><bdi>must be 0 or more/);
  });

  it("has rules for the syntax of its messages, and for the formats of its files", async () => {
    const rules = { "checks.level": "refuse", "checks.syntax": "*.json=icu, a.php=laravel" };
    await done(`${settings}/checks`, await change("checks", rules));
    const syntax = [
      { files: "*.json", syntax: "icu" },
      { files: "a.php", syntax: "laravel" },
    ];
    expect(await hive()).toMatchObject({ checks: { level: "refuse", syntax } });
    const { html } = await browser.get(`${settings}/checks`);
    expect(html).toContain('value="*.json=icu a.php=laravel"');
    expect(html).toContain('<option value="refuse" selected');
    const fields = await change("checks", { ...rules, "checks.syntax": "*.json=xml" });
    const wrong = await post(`${settings}/checks`, fields);
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('value="*.json=xml"')]);
    expect(wrong.html).toMatch(/id="problem-settings\/checks-checks.syntax"><bdi>must be one of/);
    await done(`${settings}/checks`, await change("checks", { "checks.level": "off", "checks.syntax": "" }));
    const named = { "checks.level": "off", "checks.formats": "messages.xml=xliff, *.txt=ini" };
    await done(`${settings}/checks`, await change("checks", named));
    const formats = [
      { files: "messages.xml", format: "xliff" },
      { files: "*.txt", format: "ini" },
    ];
    expect(await hive()).toMatchObject({ checks: { level: "off", syntax: [], formats } });
    expect((await browser.get(`${settings}/checks`)).html).toContain('value="messages.xml=xliff *.txt=ini"');
    await done(`${settings}/checks`, await change("checks", { ...named, "checks.formats": "" }));
    expect(await hive()).toMatchObject({ checks: { level: "off", syntax: [] } });
  });

  it("offers the languages that the server knows, and takes their names, with codes as the Hive writes them", async () => {
    const path = `${settings}/languages`;
    const options = async (): Promise<ReadonlyMap<string, string>> => {
      const { html } = await browser.get(path);
      const [main = ""] = html.split("<footer");
      const found = main.matchAll(/<option value="([^"]*)"[^>]*>([^<]*)</g);
      return new Map(Array.from(found, ([, value = "", name = ""]) => [value, name]));
    };
    const first = await options();
    expect(first.get("pt-BR")).toBe("Portuguese (Brazil)");
    expect([first.has("en"), first.has("fr"), first.size > 300]).toEqual([false, false, true]);
    const locales = async () => (await call("GET", `${api}/locales`)).json.data.slice(1);
    await done(path, { code: "pt-BR", custom_code: "pt_BR" });
    await done(path, { code: "portuguese (PORTUGAL)" });
    await done(path, { code: "German" });
    expect(await locales()).toMatchObject([
      { code: "fr", custom_code: null },
      { code: "pt-BR", custom_code: "pt_BR" },
      { code: "pt-PT", custom_code: "pt_PT" },
      { code: "de", custom_code: null },
    ]);
    for (const code of ["", "x_y", "Klingonese", "fr"]) {
      const wrong = await post(path, { code });
      expect([code, wrong.status, wrong.html]).toEqual([
        code,
        422,
        expect.stringMatching(/id="problem-settings\/languages-code"><bdi>./),
      ]);
      expect(wrong.html).toMatch(new RegExp(`name="code"[^>]* value="${code}"`));
    }
  });

  it("has its languages in rows, with switches of reviews and of two people", async () => {
    const path = `${settings}/languages`;
    const switches = async () => {
      const { html } = await browser.get(path);
      return html.split("<form").filter((form) => form.includes('role="switch"'));
    };
    const flip = async (index: number) => done(`${path}/fr`, hiddenIn((await switches())[index] ?? ""));
    const states = async () => (await switches()).map((form) => /aria-checked="(\w+)"/.exec(form)?.[1]);
    expect(await states()).toEqual(["false", "false"]);
    await flip(0);
    expect(await states()).toEqual(["true", "false"]);
    await flip(1);
    expect((await call("GET", `${api}/locales`)).json.data[1]).toMatchObject({
      review: "all",
      two_people: true,
    });
    await flip(0);
    expect(await states()).toEqual(["false", "true"]);
    await flip(1);
    expect(await states()).toEqual(["false", "false"]);
  });

  it("changes the app's code of a language, also of its source", async () => {
    const path = `${settings}/languages`;
    for (const [code, custom] of [
      ["fr", "fr_FR"],
      ["en", "en_US"],
      ["fr", ""],
    ] as const) {
      const { html } = await browser.get(`${path}?change=${code}`);
      const form = html.split("<form").find((one) => one.includes('name="change" value="')) ?? "";
      expect(html).toContain(code === "fr" ? "Change French" : "Change English");
      await done(path, { ...hiddenIn(form), change: code, members: "custom_code", custom_code: custom });
    }
    expect((await call("GET", `${api}/locales`)).json.data).toMatchObject([
      { code: "en", custom_code: "en_US" },
      { code: "fr", custom_code: null },
    ]);
  });

  it("loses languages and files", async () => {
    await done(`${settings}/languages`, { code: "pt-BR", custom_code: "pt_BR" });
    const { html } = await browser.get(`${settings}/languages`);
    expect(html).toContain("All its translations go, by one commit.");
    expect(html).not.toContain("Remove English");
    await done(`${settings}/languages/fr`, { change: "delete" });
    expect(await hive()).toMatchObject({ locales: ["pt_BR"] });
    await done(`${settings}/files/remove`, { file: "b.json" });
    expect((await call("GET", `${api}/strings`)).json.meta.total).toBe(1);
  });

  it("is deleted after the user types its slug", async () => {
    expect((await post("/hives/web/settings/delete", { slug: "wep" })).status).toBe(422);
    expect(await done("/hives/web/settings/delete", { slug: "web" })).toContain(
      "can be restored for 30 days",
    );
    expect((await browser.get("/hives/web")).status).toBe(404);
    expect((await browser.get("/team/deleted")).text).toContain("Restore web");
  });

  it("is managed only by admins", async () => {
    const writer = await signedIn(storage);
    const { html } = await writer.get("/hives/web");
    expect(html).not.toContain("settings");
    for (const page of [settings, `${settings}/languages`, "/new-hive"])
      expect((await writer.get(page)).status).toBe(403);
    for (const form of ["settings/general", "settings/languages", "settings/delete", "channels"])
      expect([form, (await post(`/hives/web/${form}`, { slug: "web" }, writer)).status]).toEqual([form, 403]);
    const limited = await signedIn(storage, { abilities: ["admin"], hives: ["web"] });
    expect((await limited.get(`${settings}/general`)).status).toBe(200);
    expect((await limited.get("/team/webhooks")).status).toBe(403);
    expect((await post("/new-hive", { slug: "more" }, limited)).status).toBe(403);
  });
});

describe("the tags of a Hive", () => {
  it("are created from their page or a commit's page, and link to the changes since", async () => {
    const [{ commit }] = (await history()).json.data;
    const page = await browser.get(`/hives/web/history/${commit}`);
    const [, to = ""] = /href="[./]*(hives\/web\/tags\?at=[^"]*)"/.exec(page.html) ?? [];
    expect((await browser.get(`/${to}`)).html).toContain(`value="${commit}"`);
    const text = await done("/hives/web/tags", { name: "v1", at: commit, message: "Out" });
    expect(text).toContain("Tagged.");
    expect(text).toMatch(/v1 .* what changed since v1 Out/);
    expect((await browser.get("/hives/web/tags")).html).toContain('compare/v1...main"');
    const taken = await post("/hives/web/tags", { name: "v1", at: "" });
    expect([taken.status, taken.html]).toEqual([409, expect.stringContaining('value="v1"')]);
    expect((await post("/hives/web/tags", { name: "v2", at: "nowhere" })).html).toMatch(
      /problem-tags-at"><bdi>/,
    );
  });
});

describe("the branches of a Hive", () => {
  it("are created, deleted and restored", async () => {
    expect(await done("/hives/web/branches", { name: "feature/a" })).toContain(
      "feature/a nothing new for main",
    );
    expect((await post("/hives/web/branches", { name: "feature/a" })).status).toBe(409);
    expect(await done("/hives/web/branches/feature%2Fa/delete")).toContain(
      "There is no branch besides main.",
    );
    const list = await browser.get("/hives/web/branches");
    expect(list.text).toMatch(/Deleted branches .*feature\/a/);
    expect(list.html).toContain('<button name="branch" value="feature/a">');
    expect(await done("/hives/web/branches/restore", { branch: "feature/a" })).toContain("feature/a");
    expect((await browser.get("/hives/web/branches")).text).not.toContain("Deleted branches");
    expect((await post("/hives/web/branches/restore", { branch: "other" })).status).toBe(404);
  });

  it("are named on each of their pages, with a link to main", async () => {
    await done("/hives/web/branches", { name: "feature/a" });
    for (const path of ["", "/strings", "/strings/a.json/x", "/history", "/compare"]) {
      const { text, html } = await browser.get(`/hives/web${path}?branch=feature%2Fa`);
      expect(text).toContain("You are on the branch feature/a . See this in main");
      expect(html).toMatch(new RegExp(`<p class="band">.*href="[./]*hives/web${path}">See this in main`));
    }
    expect((await browser.get("/hives/web/strings")).text).not.toContain("You are on");
  });
});

describe("the channels of a Hive", () => {
  it("are set, moved and removed, and read by apps", async () => {
    await call("POST", `${api}/tags`, { body: { name: "v1" } });
    const fields = { name: "production", at: "v1", branch: "", locales: "fr", shape: "flat", public: "true" };
    const change = { change: "production" };
    const text = await done("/hives/web/channels", fields);
    const [, address = ""] = /(\/p\/\S+)/.exec(text) ?? [];
    expect(text).toContain("production v1");
    expect((await browser.get(`${address}fr.json`)).status).toBe(200);
    expect(await done("/hives/web/channels", { ...fields, ...change, public: "" })).toContain(
      "not public now",
    );
    expect((await browser.get(`${address}fr.json`)).status).toBe(404);
    expect((await post("/hives/web/channels", { ...fields, ...change, at: "nope" })).html).toMatch(
      /problem-channels-at"><bdi>/,
    );
    expect(await done("/hives/web/channels/production", { change: "delete" })).toContain(
      "There is no channel yet",
    );
  });

  const whole = { at: "v1", locales: ["fr"], shape: "flat", state: "approved", failing: "omit", tag: "a,b" };
  it.each([
    ["of every setting", { ...whole, public: false }],
    ["of none", { branch: "main", public: true }],
  ])("keep each member %s when their form is saved unchanged", async (_of, body) => {
    await call("POST", `${api}/tags`, { body: { name: "v1" } });
    await call("PUT", `${api}/channels/production`, { body });
    const read = async () => ({ ...(await call("GET", `${api}/channels/production`)).json, updated: "" });
    const before = await read();
    expect(before).toMatchObject(body);
    const [, link = ""] =
      /href="[./]*(hives\/web\/channels\?change=[^"]*)"/.exec(
        (await browser.get("/hives/web/channels")).html,
      ) ?? [];
    await done("/hives/web/channels", fieldsIn((await browser.get(`/${link}`)).html));
    expect(await read()).toEqual(before);
  });

  it("are not replaced by a form for a new one", async () => {
    await call("PUT", `${api}/channels/production`, { body: { public: true, tag: "a" } });
    const refused = await post("/hives/web/channels", { name: "production", shape: "flat" });
    expect([refused.status, refused.html]).toEqual([
      409,
      expect.stringMatching(/problem-channels-name"><bdi>This Hive has a channel production/),
    ]);
    expect((await call("GET", `${api}/channels/production`)).json).toMatchObject({ public: true, tag: "a" });
  });
});

describe("the webhooks of a team", () => {
  it("are added with a secret that is shown once, tested, and removed", async () => {
    const wrong = await post("/team/webhooks", { url: "ftp://x", hive: "" });
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('value="ftp://x"')]);
    const added = await post("/team/webhooks", { url: "https://receiver.invalid/skep", hive: "web" });
    const [secret = "-"] = /whsec_[\w+/=]+/.exec(added.text) ?? [];
    expect(added.text).toContain("https://receiver.invalid/skep web has received all commits");
    const { html } = await browser.get("/team/webhooks");
    expect(html).not.toContain(secret);
    const [, path = ""] = /action="[./]*(team\/webhooks\/[^"]+)"/.exec(html) ?? [];
    expect((await post(`/${path}`, { change: "test" })).text).toContain("The test failed: ");
    expect(html).not.toContain("Send again");
    const [{ id }] = (await call("GET", "/api/webhooks")).json.data;
    await disableWebhook(storage, toTeamName("acme"), id);
    expect((await browser.get("/team/webhooks")).text).toContain("Send again https://receiver.invalid");
    expect(await done(`/${path}`, { change: "resend" })).toContain("has received all commits");
    const renewed = await post(`/${path}`, { change: "secret" });
    expect(/whsec_[\w+/=]+/.exec(renewed.text)?.[0]).not.toBe(secret);
    const form = (await browser.get(`/team/webhooks?change=${id}`)).html;
    expect(form).toContain("Change the webhook https://receiver.invalid/skep");
    expect(form).toMatch(/<option value="web" selected/);
    const moved = { change: id, url: "https://other.invalid/", hive: "" };
    const refused = await post("/team/webhooks", { ...moved, url: "ftp://x" });
    expect([refused.status, refused.html]).toEqual([
      422,
      expect.stringContaining(`name="change" value="${id}"`),
    ]);
    expect(await done("/team/webhooks", moved)).toContain("https://other.invalid/ all");
    expect((await post(`/${path}`, { change: "create" })).status).toBe(404);
    expect(await done(`/${path}`, { change: "delete" })).toContain("There is no webhook yet");
  });
});

describe("a commit", () => {
  it("is undone text by text, for texts that have not changed since", async () => {
    await translate("fr", { "a.json": { x: "Iks" } });
    const [{ commit }] = (await history()).json.data;
    const page = `/hives/web/history/${commit}`;
    const form = (await browser.get(page)).html.split("<form").find((one) => one.includes(">Undo <")) ?? "";
    await done(`${page}/undo`, { ...hiddenIn(form), on_conflict: "part" });
    expect(JSON.parse((await exported("locale=fr")).json.files["a.json"])).toEqual({
      x: "Ix",
    });
    // What would change nothing has no button.
    expect((await browser.get(page)).html).not.toContain(">Undo <");
    expect((await browser.get(`${page}/undo?on_conflict=skip`)).html).not.toContain(
      '<button class="primary">Undo',
    );
  });

  it.each([
    ["/hives/web/tags", "tags-name", { name: "v1" }],
    ["/hives/web/branches", "branches-name", { name: "v1" }],
    ["/new-hive", "new-hive-slug", { slug: "web", source_locale: "en" }],
    ["/team/people", "team/people-id", { id: "anna", name: "Anna", abilities: "read" }],
  ] as const)(
    "a name that is taken is said beside its field on %s, which has the focus",
    async (path, id, form) => {
      if (path !== "/new-hive") await post(path, form);
      const { status, html } = await post(path, form);
      expect(status).toBe(409);
      expect(html).toMatch(new RegExp(`<input id="${id}"[^>]* aria-invalid="true"[^>]* autofocus`));
      expect(html).toMatch(new RegExp(`id="problem-${id}"><bdi[^>]*>[A-Z]`));
    },
  );

  it("is undone for one source string, with its translations and markers, for strings that are as it left them", async () => {
    const all = { x: "X", y: "Y", z: "Z" };
    await put({ "s.json": all });
    await fill("fr", { "s.json": { x: "Ix", y: "Igrec" } });
    const after = { x: "X!", z: "Z!", new: "New" };
    await put({ "s.json": after });
    const [{ commit }] = (await history()).json.data;
    const page = `/hives/web/history/${commit}`;
    const undoable = async () =>
      Array.from((await browser.get(page)).html.matchAll(/name="key" value="([^"]*)"/g), ([, key]) => key);
    // A translation that went with its string comes back with it.
    expect(await undoable()).toEqual(["x", "z", "new", "y"]);
    const undo = (key: string) => done(`${page}/undo`, { on_conflict: "part", file: "s.json", key });
    const stored = async (locale: string) =>
      JSON.parse((await exported(`locale=${locale}`)).json.files["s.json"]);
    expect((await call("GET", `${api}/stale?locale=fr`)).json.meta.total).toBe(1);
    expect(await undo("x")).toContain("Undone by this commit");
    expect([await stored("en"), await stored("fr")]).toEqual([{ ...after, x: "X" }, { x: "Ix" }]);
    expect((await call("GET", `${api}/stale?locale=fr`)).json.meta.total).toBe(0);
    await undo("y");
    expect([await stored("en"), await stored("fr")]).toEqual([
      { ...after, x: "X", y: "Y" },
      { x: "Ix", y: "Igrec" },
    ]);
    // One translation waits again, where it waited before the commit.
    const fr = (text: string, headers = {}) => translate("fr", { "s.json": { x: text } }, { headers });
    await fr("Modèle", { "x-commit-origin": "model" });
    await fr("Écrit");
    const [{ commit: written }] = (await history()).json.data;
    const part = { on_conflict: "part", file: "s.json", key: "x", locale: "fr" };
    expect(await done(`/hives/web/history/${written}/undo`, part)).toContain("Undone by this commit");
    expect([await stored("en"), await stored("fr")]).toMatchObject([{ x: "X" }, { x: "Modèle", y: "Igrec" }]);
    expect((await call("GET", `${api}/review?locale=fr`)).json.data).toMatchObject([{ key: "x" }]);
    await fill("fr", { "s.json": { new: "Neuf" } });
    expect(await undo("new")).toContain("Nothing was undone");
    await call("POST", `${api}/strings`, { body: { files: { "s.json": { z: "Zed" } } } });
    expect(await undoable()).toEqual(["new"]);
  });

  it("is not undone for one string where the commit moved that: the rest of the commit is", async () => {
    await put({ "s.json": { x: "X", z: "Z" } });
    await fill("fr", { "s.json": { x: "Ix" } });
    await put({ "s.json": { y: "X", z: "Z!" } }, { query: "detect_moves=true" });
    const [{ commit }] = (await history()).json.data;
    const page = `/hives/web/history/${commit}`;
    const keys = Array.from(
      (await browser.get(page)).html.matchAll(/name="key" value="([^"]*)"/g),
      ([, key]) => key,
    );
    expect(keys).toEqual(["z"]);
    for (const key of ["x", "y"]) {
      const refused = await post(`${page}/undo`, { on_conflict: "part", file: "s.json", key });
      expect([refused.status, refused.html]).toEqual([
        422,
        expect.stringContaining("was moved by that commit"),
      ]);
    }
    expect((await history()).json.data[0].commit).toBe(commit);
  });

  it("is not undone for a plural form that translations alone have, where the commit moved its string", async () => {
    const forms = (stem: string) => ({
      [`${stem}_one`]: "{{count}} day",
      [`${stem}_other`]: "{{count}} days",
    });
    await put({ "s.json": forms("day") });
    await fill("fr", { "s.json": { day_one: "jour", day_many: "de jours", day_other: "jours" } });
    await put({ "s.json": forms("days") }, { query: "detect_moves=true" });
    const [{ commit }] = (await history()).json.data;
    const page = `/hives/web/history/${commit}`;
    expect((await browser.get(page)).html).not.toContain('name="key"');
    const part = { on_conflict: "part", file: "s.json", key: "days_many", locale: "fr" };
    expect((await post(`${page}/undo`, part)).status).toBe(422);
  });
});
