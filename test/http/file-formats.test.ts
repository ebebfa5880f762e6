/** A Hive that knows the formats of its files judges their texts by these, at every door, whatever the files are called. */
import { beforeEach, describe, expect, it } from "vitest";
import { formatNames, type FormatName } from "../../src/domain/files/file-formats.ts";
import { hiveAt } from "../helpers/http/hive-api.ts";
import { prepareWeb, type Call } from "../helpers/storage.ts";

const hive = "/api/hives/web";
const file = "texts.json";
let call: Call;
const web = hiveAt(() => call);
const { post } = web;

const prepared = prepareWeb({ token: { abilities: ["admin"] } }, (web) =>
  web.call("PATCH", hive, { body: { checks: { level: "refuse" } } }),
);
beforeEach(async () => {
  ({ call } = await prepared());
});

interface Example {
  readonly source: string;
  readonly held: string;
  /** What no file of the format can hold, and a file of JSON can. */
  readonly unheld: string;
  readonly check?: string;
}

/** What XML cannot spell. */
const control = { source: "One", held: "Un", unheld: "Un\u000Bdeux" };
/** By format; those of the others can hold every text. */
const examples: Partial<Record<FormatName, Example>> = {
  android: { source: "<b>1</b> One", held: "<b>1</b> Un", unheld: "<b>1</b> Un < &nbsp;" },
  fluent: { source: "One", held: "Un", unheld: " Un" },
  ini: { source: "One", held: "Un", unheld: "Un\ndeux" },
  po: { source: "One", held: "Un", unheld: "Un\n", check: "ends" },
  resx: control,
  stringsdict: control,
  xliff: control,
};

const setFormats = (...formats: readonly { files: string; format: string }[]) =>
  call("PATCH", hive, { body: { checks: { formats } } });
const addSource = (one: string, syntax = "text") =>
  call("PATCH", hive, { body: { checks: { syntax: [{ files: "*", syntax }] } } }).then(() =>
    post({ [file]: { a: one, b: one } }),
  );
const translate = (texts: object, query = "") => web.translate("fr", { [file]: texts }, { query });

/** What a door says of a text: its code or status, and the findings. */
interface Said {
  readonly isTaken: boolean;
  readonly checks: readonly string[];
}

const checksIn = (json: { findings?: readonly { check: string }[] }): readonly string[] =>
  (json.findings ?? []).map(({ check }) => check);

/** Ways by which a translation of `a` comes in. */
const doors: readonly (readonly [string, (text: string, example: Example) => Promise<Said>])[] = [
  [
    "an import",
    async (text) => {
      const { status, json } = await translate({ a: text });
      return { isTaken: status === 200, checks: checksIn(json) };
    },
  ],
  [
    "a merge",
    async (text) => {
      await call("POST", `${hive}/branches`, { body: { name: "work" } });
      await translate({ a: text }, "branch=work&checks=warn");
      const { status, json } = await call("POST", `${hive}/branches/work/merge`, { body: {} });
      return { isTaken: status === 200, checks: checksIn(json) };
    },
  ],
  [
    "work",
    async (text, { source }) => {
      const expected = { source: { other: source }, translation: { other: null } };
      const item = { file, key: "a", forms: { other: text }, expected };
      const { json } = await call("POST", `${hive}/work/done`, { body: { locale: "fr", items: [item] } });
      const [answer] = json.items;
      return { isTaken: answer.status === "saved", checks: checksIn(answer) };
    },
  ],
  [
    "find and replace",
    async (text, { held }) => {
      await translate({ a: held });
      const { json } = await call("POST", `${hive}/replace`, {
        body: { find: "Un", replace: text.slice(held.indexOf("Un")), match_case: true },
      });
      return { isTaken: json.replaced === 1, checks: [json, ...(json.items ?? [])].flatMap(checksIn) };
    },
  ],
];

const known = formatNames.map((format) => [format, examples[format]] as const);

describe.each(known)("a file whose name says JSON and whose Hive says %s", (format, found) => {
  const example: Example = found ?? control;
  const { check = "format" } = example;

  it.each(found === undefined ? doors.slice(0, 1) : doors)(
    "takes by %s what it can hold",
    async (_, bring) => {
      await setFormats({ files: file, format });
      await addSource(example.source);
      const text = found === undefined ? example.unheld : example.held.replace("Un", "Deux");
      expect(await bring(text, example)).toMatchObject({ isTaken: true });
    },
  );

  if (found === undefined) return;

  it.each(doors)(
    "refuses by %s what it cannot hold, and not what it would be by its name",
    async (_, bring) => {
      await setFormats({ files: file, format });
      await addSource(example.source);
      const { isTaken, checks } = await bring(example.unheld, example);
      expect([isTaken, checks.includes(check)]).toEqual([false, true]);
      await setFormats();
      expect(await bring(example.unheld, example)).toMatchObject({ isTaken: true });
    },
  );

  it("has such findings in its lists, which follow the setting", async () => {
    await addSource(example.source);
    const isFound = async () => {
      const { json } = await call("GET", `${hive}/checks?locale=fr`);
      return json.data.some((one: { check: string }) => one.check === check);
    };
    await translate({ a: example.unheld }, "checks=warn");
    expect(await isFound()).toBe(false);
    await setFormats({ files: "*", format });
    expect(await isFound()).toBe(true);
    await setFormats();
    expect(await isFound()).toBe(false);
  });
});
