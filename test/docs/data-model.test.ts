/** Everything that lies in the tree of a Hive is described: in its README, and on the page of the data model. */
import { expect, it } from "vitest";
import { toHiveSlug } from "../../src/domain/names.ts";
import { hiveReadme } from "../../src/domain/hives/hive-readme.ts";
import { png } from "../domain/pictures/images.ts";
import { makeToken, setUpWeb } from "../helpers/storage.ts";
import { readPage } from "./pages.ts";

const hive = "/api/hives/web";

it("the README of a Hive and the page of the data model name everything that a Hive may have", async () => {
  const { storage, call } = await setUpWeb({ token: { abilities: ["admin"] } });
  const done = async (method: string, path: string, options: Parameters<typeof call>[2]): Promise<void> => {
    const { status, text } = await call(method, `${hive}${path}`, options);
    expect([200, 201], `${method} ${path}: ${text}`).toContain(status);
  };
  const translate = (texts: object, token?: string) =>
    done("POST", "/translations/fr?checks=warn", {
      body: { files: { "a.json": texts }, overwrite_strategy: "overwrite" },
      ...(token !== undefined && { token }),
    });
  await done("POST", "/strings", { body: { files: { "a.json": { a: "A", b: "B", c: "C {{x}}" } } } });
  await translate({ a: "AA", c: "{{y}}" });
  await done("POST", "/strings", { body: { files: { "a.json": { a: "A1" } } } });
  await translate({ b: "BB" }, await makeToken(storage, { name: "Model", review: "always" }));
  const finding = { locale: "fr", file: "a.json", key: "c", check: "argument-extra" };
  await done("POST", "/checks/accept", { body: finding });
  await done("PATCH", "/notes", { body: { files: { "a.json": { a: { note: "A verb" } } } } });
  await done("POST", "/glossary", { body: { terms: [{ source: "A" }] } });
  await done("PUT", "/style/fr", { body: { text: "Short." } });
  const picture = { name: "a.png", content: png(2, 2).toString("base64"), strings: ["a.json:a"] };
  await done("POST", "/pictures", { body: picture });
  const { tree } = await storage.hives.at(toHiveSlug("web")).snapshot();
  const names = Array.from(tree.entries, ([name, { kind }]) => (kind === "folder" ? `${name}/` : name));
  expect(names.toSorted()).toEqual([
    "README.md",
    "accepted/",
    "glossary.json",
    "hive.yaml",
    "locales/",
    "notes/",
    "pictures/",
    "review/",
    "stale/",
    "style/",
  ]);
  const page = readPage("docs/data-model.md");
  for (const name of names) {
    expect(page).toMatch(new RegExp(`^${name}`, "m"));
    if (name !== "README.md") expect(hiveReadme).toContain(`\`${name}`);
  }
});
