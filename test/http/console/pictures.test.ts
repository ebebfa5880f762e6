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
  const image = await browser.get(`/hives/web/pictures/${json.hash}`);
  expect(Object.fromEntries(image.headers)).toMatchObject({
    "content-type": "image/png",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cache-control": "private, no-store",
  });
  expect((await browser.get("/hives/web/pictures/nope")).status).toBe(404);
});
