/** The pictures of a string on its page, and their images. */
import { expect, it } from "vitest";
import { png } from "../../domain/pictures/images.ts";
import { setUpWeb } from "../../helpers/storage.ts";
import { browse } from "./browse.ts";

it("a string's page shows its pictures, whose images run nothing and need a session", async () => {
  const { call, storage, token } = await setUpWeb({ locales: ["fr"], token: { abilities: ["admin"] } });
  const files = { "a.json": { hello: "Hello", bye: "Bye" } };
  await call("POST", "/api/hives/web/strings", { body: { files } });
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
  const { call, storage, token } = await setUpWeb({ locales: ["fr"], token: { abilities: ["admin"] } });
  const files = { "a.json": { n_one: "{{count}} item", n_other: "{{count}} items", bye: "Bye" } };
  await call("POST", "/api/hives/web/strings", { body: { files } });
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
