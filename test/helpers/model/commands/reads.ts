/** Commands that read texts, at HEAD and at tags. */
import fc from "fast-check";
import { expect } from "vitest";
import * as model from "../model.ts";
import { command, expectSame } from "../real.ts";
import { slug, target } from "./arbitraries.ts";

export const list = fc.tuple(target, fc.integer({ min: 1, max: 4 })).map(([hive, perPage]) =>
  command(`list ${hive} by ${perPage}`, async (m, real) => {
    const expected = model.strings(m, hive);
    const found: Record<string, string> = {};
    for (let page = 1, last = 1; page <= last; page++) {
      const { status, json } = await real.call("GET", `${hive}/strings?per_page=${perPage}&page=${page}`);
      expect(status).toBe(expected === undefined ? 404 : 200);
      if (expected === undefined) return;
      last = json.meta.last_page;
      for (const one of json.data) found[`${one.file} ${one.key}`] = one.source_value;
    }
    expect(found).toEqual(expected);
  }),
);

export const exportLocale = fc
  .tuple(target, fc.constantFrom("fr", "de", "ru", "en"), fc.boolean())
  .map(([hive, code, approved]) =>
    command(`export ${hive} ${code}${approved ? " approved" : ""}`, async (m, real) => {
      const { status, json } = await real.call(
        "GET",
        `${hive}/export?locale=${code}${approved ? "&state=approved" : ""}`,
      );
      const read =
        status === 200
          ? Object.entries<string>(json.files).map(([name, content]) => [name, JSON.parse(content)])
          : [];
      expectSame({ status, json: Object.fromEntries(read) }, { ...model.exported(m, hive, code, approved) });
    }),
  );

const tagName = fc.constantFrom("v1", "V1", "v2");

export const tag = fc.tuple(slug, tagName).map(([hive, name]) =>
  command(`tag ${hive} ${name}`, async (m, real) => {
    expectSame(await real.call("POST", `${hive}/tags`, { name }), model.tag(m, hive, name));
  }),
);

export const exportAt = fc
  .tuple(target, fc.constantFrom("fr", "de", "ru", "en"), tagName, fc.boolean())
  .map(([hive, code, name, approved]) =>
    command(`export ${hive} ${code} at ${name}${approved ? " approved" : ""}`, async (m, real) => {
      const { status, json } = await real.call(
        "GET",
        `${hive}/export?locale=${code}&at=${name}${approved ? "&state=approved" : ""}`,
      );
      const read =
        status === 200
          ? Object.entries<string>(json.files).map(([file, content]) => [file, JSON.parse(content)])
          : [];
      expectSame({ status, json: Object.fromEntries(read) }, model.exportedAt(m, hive, code, name, approved));
    }),
  );

/** Undoes nothing, and adds up: what every commit changed, one after the other, is what is there. */
export const historyAddsUp = target.map((hive) =>
  command(`history ${hive}`, async (m, real) => {
    const expected = model.strings(m, hive);
    const { status, json } = await real.call("GET", `${hive}/history?per_page=500`);
    expect(status).toBe(expected === undefined ? 404 : 200);
    if (expected === undefined) return;
    const texts: Record<string, string> = {};
    for (const { commit } of json.data.toReversed()) {
      const shown = await real.call("GET", `${hive}/history/${commit}?per_page=500`);
      for (const { locale, file, key, before, after } of shown.json.data) {
        if (locale !== "en") continue;
        expect(texts[`${file} ${key}`] ?? null).toBe(before);
        if (after === null) delete texts[`${file} ${key}`];
        else texts[`${file} ${key}`] = after;
      }
    }
    expect(texts).toEqual(expected);
  }),
);
