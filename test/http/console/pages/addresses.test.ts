/** Addresses with parts that a page does not know: what is wrong is said in the words of the page. */
import { expect, it } from "vitest";
import { prepareBrowser, type Page } from "../browse.ts";

const token = { name: "Lead", abilities: ["admin"] } as const;
const prepared = prepareBrowser({ locales: ["fr", "de"], token }, async ({ post }) => {
  await post({ "a.json": { a: "A", b: "B" } });
});

/** What the page says is wrong. */
function wrongIn({ html }: Page): readonly string[] {
  const said = html.matchAll(/<(p|div) class="(?:notice wrong|problem)"[^>]*>(.*?)<\/\1>/gs);
  return Array.from(said, ([, , text = ""]) => text.replaceAll(/<[^>]*>/g, "")).filter((text) => text !== "");
}

const noChoice = "What the address asks for is no choice here: choose one of the list.";
const unknown = (part: string): string => `The address has a part that this page does not know: ${part}`;

const web = "/hives/web";
it.each([
  // Choices of filters.
  [`${web}/translate/fr?want=foo`, noChoice],
  [`${web}/translate/fr?want=missing&want=stale`, noChoice],
  [`${web}/translate/fr?beside=xx`, noChoice],
  [`${web}/strings?state=foo`, noChoice],
  [`${web}/strings?locale=xx`, noChoice],
  [`${web}/strings?origin=foo`, noChoice],
  [`${web}/replace?find=a&state=foo`, noChoice],
  [`${web}/comments?show=foo`, noChoice],
  [`${web}/comments?locale=xx`, noChoice],
  [`${web}/figures?by=foo`, noChoice],
  [`${web}/history?locale=xx`, noChoice],
  ["/team/audit?event=foo", noChoice],
  // What is no field of the page, with and without filters.
  [`${web}/strings?page=x`, unknown("page=x")],
  [`${web}/strings?exact=1`, unknown("exact=1")],
  [`${web}/translate/fr?foo=1`, unknown("foo=1")],
  [`${web}/history?page=x`, unknown("page=x")],
  [`${web}?sort=foo`, unknown("sort=foo")],
  [`${web}?foo=1`, unknown("foo=1")],
  [`${web}?foo=${"x".repeat(200)}`, unknown(`foo=${"x".repeat(56)}…`)],
  [`${web}?sort=name&sort=need`, unknown("sort=name, need")],
  [`${web}/branches?page=x`, unknown("page=x")],
  [`${web}/glossary?page=x`, unknown("page=x")],
  [`${web}/selection/fr?state=foo`, unknown("state=foo")],
  ["/inbox?show=foo", unknown("show=foo")],
  ["/?page=x", unknown("page=x")],
])("says of %s what is wrong in words of the page", async (address, said) => {
  const { browser } = await prepared();
  const page = await browser.get(address);
  expect([page.status, wrongIn(page)]).toEqual([422, [said]]);
});

it("leads to the page without what it does not know, with the rest", async () => {
  const { browser } = await prepared();
  const { html } = await browser.get(`${web}/selection/fr?state=foo&q=a`);
  const [, href = ""] = /href="([^"]*)">Open the page without it</.exec(html) ?? [];
  const { pathname, search } = new URL(href, `http://skep.example${web}/selection/fr`);
  expect(pathname + search).toBe(`${web}/selection/fr?q=a`);
  expect((await browser.get(pathname + search)).status).toBe(200);
});

it("says it in the language of the page", async () => {
  const { browser } = await prepared();
  const german = { "accept-language": "de" };
  expect((await browser.get(`${web}?sort=foo`, german)).text).toContain(
    "Die Adresse hat einen Teil, den diese Seite nicht kennt: sort=foo",
  );
  expect(wrongIn(await browser.get(`${web}/translate/fr?want=foo`, german))).toEqual([
    "Was die Adresse verlangt, steht hier nicht zur Wahl: Wählen Sie etwas aus der Liste.",
  ]);
});
