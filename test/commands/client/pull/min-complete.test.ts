/** `skep pull --min-complete`: leaves the files of locales alone of which too little is translated. */
import { expect, it } from "vitest";
import { makeApp } from "../../../helpers/app-tree.ts";

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

it("writes the other locales, and says which were left out", async () => {
  const app = await makeApp({ patterns: ["lang/{locale}/*.json"] });
  const french = json({ a: "corrected", old: "old" });
  app.write({
    "lang/en/app.json": json({ a: "A", b: "B", c: "C" }),
    "lang/fr/app.json": french,
    "lang/fr/gone.json": json({ x: "X" }),
  });
  expect(await app.run("push")).toMatchObject({ code: 0 });
  await app.translate("fr", { "app.json": { a: "A.", b: "B." } });
  await app.translate("pt_BR", { "app.json": { a: "A.", b: "B.", c: "C." } });
  const { code, stdout, stderr } = await app.run(
    "pull",
    "--min-complete",
    "67",
    "--prune",
    "--missing",
    "source",
  );
  expect([code, stderr]).toEqual([
    0,
    "fr: 66.6 % translated, which is too little: its files stay as they are.\n",
  ]);
  expect(stdout).toContain("lang/pt_BR/app.json: new file, 3 created\n");
  expect([app.read("lang/fr/app.json"), app.has("lang/fr/gone.json")]).toEqual([french, true]);
  const report = JSON.parse(
    (await app.run("pull", "--min-complete", "100", "--json", "--locale", "fr")).stdout,
  );
  expect(report).toMatchObject({ left_out: [{ locale: "fr", percent: 66.6 }], files: [] });
  expect((await app.run("pull", "--min-complete", "66", "--json")).stdout).toContain('"left_out": []');
  expect((await app.run("pull", "--min-complete", "101")).code).toBe(2);
});
