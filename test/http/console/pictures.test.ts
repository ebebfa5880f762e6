/** The pictures of a string on its page, and their images. */
import { describe, expect, it } from "vitest";
import { png } from "../../domain/pictures/images.ts";
import { setUpWeb } from "../../helpers/storage.ts";
import { browse, signedIn } from "./browse.ts";

it("a string's page shows its pictures, whose images run nothing and need a session", async () => {
  const { call, storage, token, post } = await setUpWeb({ locales: ["fr"], token: { abilities: ["admin"] } });
  const files = { "a.json": { hello: "Hello", bye: "Bye" } };
  await post(files);
  const content = png(4, 4).toString("base64");
  const body = { name: "<login>.png", content, strings: ["a.json:hel*"] };
  const { json } = await call("POST", "/api/hives/web/pictures", { body });
  const browser = browse(storage);
  expect((await browser.get(`/hives/web/pictures/${json.hash}`)).status).toBe(303);
  await browser.signIn(token);
  const { html, text } = await browser.get("/hives/web/strings/a.json/hello");
  expect(html).toMatch(new RegExp(`<img src="[^"]*pictures/${json.hash}"`));
  expect(text).toContain("<login>.png");
  expect((await browser.get("/hives/web/strings/a.json/bye")).html).not.toContain('class="pictures"');
  // As browsers ask for images.
  const accept = "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5";
  const image = await browser.get(`/hives/web/pictures/${json.hash}`, { accept });
  expect(image.status).toBe(200);
  expect(Object.fromEntries(image.headers)).toMatchObject({
    "content-type": "image/png",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cache-control": "private, no-store",
  });
  expect((await browser.get("/hives/web/pictures/nope")).status).toBe(404);
});

it("the string is framed in its pictures, and no other one is", async () => {
  const { call, storage, token, post } = await setUpWeb({ locales: ["fr"], token: { abilities: ["admin"] } });
  const files = { "a.json": { n_one: "{{count}} item", n_other: "{{count}} items", bye: "Bye" } };
  await post(files);
  const boxes = ["n_one", "bye"].map((key, x) => ({
    string: `a.json:${key}`,
    x,
    y: 2,
    width: 30,
    height: 4,
  }));
  const content = png(40, 20).toString("base64");
  await call("POST", "/api/hives/web/pictures", {
    body: { name: "cart.png", content, strings: ["a.json:*"], boxes },
  });
  const browser = browse(storage);
  await browser.signIn(token);
  const frames = async (key: string) =>
    (await browser.get(`/hives/web/strings/a.json/${key}`)).html.match(
      /<svg viewBox="0 0 40 20".*?<\/svg>/,
    )?.[0];
  const frame = '<rect x="0" y="2" width="30" height="4" rx="3"></rect>';
  expect(await frames("n_one")).toBe(`<svg viewBox="0 0 40 20" aria-hidden="true">${frame}</svg>`);
  // The forms of a plural are one string to whoever looks at the picture.
  expect(await frames("n_other")).toContain(frame);
  expect(await frames("bye")).toContain('x="1"');
});

describe("the pictures of a Hive", () => {
  const page = "/hives/web/pictures";
  const at = { file: "a.json", key: "hello" };

  const begin = async (rights?: Parameters<typeof signedIn>[1]) => {
    const web = await setUpWeb({ locales: ["fr"], token: { abilities: ["admin"] } });
    const files = { "a.json": { hello: "Hello", help: "Help", bye: "Bye" } };
    await web.post(files);
    const browser = await signedIn(web.storage, { abilities: ["read", "write"], ...rights });
    const pictures = async () => (await web.call("GET", "/api/hives/web/pictures")).json.data;
    return { ...web, browser, pictures };
  };

  it("are added, marked, listed and deleted", async () => {
    const { browser, pictures } = await begin();
    expect((await browser.get(page)).text).toContain("There is no picture yet.");
    const fields = { ...at, strings: "a.json:hel*\n\n", x: "1", y: "0", width: "2", height: "3" };
    const added = await browser.upload(page, fields, { content: ["login.png", png(4, 4)] });
    expect(added.status).toBe(303);
    const box = { string: "a.json:hello", x: 1, y: 0, width: 2, height: 3 };
    const [picture] = await pictures();
    expect(picture).toMatchObject({ name: "login.png", strings: ["a.json:hel*"], boxes: [box] });
    const { hash } = picture;
    expect((await browser.get(`${page}?file=a.json&key=hello`)).html).toContain(`pictures/${hash}`);
    expect((await browser.get(`${page}?file=a.json&key=bye`)).html).not.toContain(`pictures/${hash}`);
    const string = await browser.get("/hives/web/strings/a.json/help");
    expect(string.html).toContain(`pictures/box?picture=${hash}&amp;file=a.json&amp;key=help`);
    const marking = await browser.get(`${page}/box?picture=${hash}&file=a.json&key=help`);
    expect(marking.text).toContain("The picture has 4 × 4 pixels.");
    const mark = { picture: hash, file: "a.json", key: "help", x: "0", y: "1", width: "1", height: "1" };
    expect((await browser.submit(`${page}/box`, mark)).status).toBe(303);
    const further = { string: "a.json:help", x: 0, y: 1, width: 1, height: 1 };
    expect(await pictures()).toMatchObject([{ strings: ["a.json:hel*"], boxes: [box, further] }]);
    expect((await browser.submit(`${page}/delete`, { hash })).status).toBe(303);
    expect(await pictures()).toEqual([]);
  });

  it.each([
    ["content", {}, ["login.png", "no image"], "must be a PNG"],
    ["content", {}, ["", ""], "choose a file"],
    ["strings", { strings: "a.json:gone" }, ["login.png", png(4, 4)], "there is no string"],
    ["name", { name: "a/b" }, ["login.png", png(4, 4)], "must be a name without folders"],
    ["x", { x: "1.5", y: "0", width: "1", height: "1" }, ["login.png", png(4, 4)], "must be a whole number"],
    [
      "height",
      { x: "0", y: "0", width: "1", height: "" },
      ["login.png", png(4, 4)],
      "must be a whole number",
    ],
  ] as const)("says at its field what is wrong: %s", async (field, fields, file, problem) => {
    const { browser } = await begin();
    const sent = { ...at, strings: "a.json:hello", ...fields };
    const { status, html } = await browser.upload(page, sent, { content: file });
    const [, said] = new RegExp(`id="problem-pictures-${field}">(.*?)</p>`).exec(html) ?? [];
    expect([status, said]).toEqual([422, expect.stringContaining(problem)]);
  });

  it("are shown to those who may only read, and changed by those who may write all", async () => {
    for (const rights of [{ abilities: ["read"] }, { locales: ["fr"] }] as const) {
      const { browser } = await begin(rights);
      const { status, html } = await browser.get(page);
      expect([status, html.includes('type="file"')]).toEqual([200, false]);
      const sent = await browser.upload(page, { strings: "a.json:hello" }, { content: ["a.png", png(4, 4)] });
      expect(sent.status).toBe(403);
    }
  });
});
