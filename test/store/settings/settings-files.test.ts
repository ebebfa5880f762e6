/** What is written into a settings file is what is read from it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkLevels } from "../../../src/domain/checks/check-settings.ts";
import { syntaxNames } from "../../../src/domain/checks/syntax-names.ts";
import { formatNames } from "../../../src/domain/files/file-formats.ts";
import { toDisplayName, type HiveSettings } from "../../../src/domain/hives/hive-settings.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { failureKinds, type MirrorState } from "../../../src/domain/hives/mirror.ts";
import { toMirrorUrl } from "../../../src/domain/hives/mirror-url.ts";
import { isOid, toHiveSlug, toTeamName, toTokenId } from "../../../src/domain/names.ts";
import type { Team } from "../../../src/domain/access/team.ts";
import { abilities, type Token } from "../../../src/domain/access/token.ts";
import { formatHiveSettings, parseHiveSettings } from "../../../src/store/settings/hive-settings-file.ts";
import { mirrorLists, mirrorStates } from "../../../src/store/settings/mirrors.ts";
import {
  formatTeam,
  formatToken,
  parseTeam,
  parseToken,
} from "../../../src/store/settings/settings-files.ts";
import { formatSettings } from "../../../src/store/settings/stored-settings.ts";
import { anyText } from "../../helpers/arbitraries.ts";

const settings = {
  name: "Web: shop #1",
  sourceLocale: toLocale("en=en_US"),
  targetLocales: [toLocale("no"), toLocale("pt-BR=pt_BR")],
};

/** Names as people may give them, with what YAML has a meaning for. */
const name = fc
  .oneof(
    anyText({ minLength: 1, maxLength: 40 }),
    fc.constantFrom(
      "null",
      "~",
      "yes",
      "1e3",
      "0x10",
      "2001-01-01",
      "- a",
      "a: b",
      "#",
      "'",
      '"',
      "\ufeffx",
      "<<",
    ),
    fc.constantFrom(
      "a\r\nb",
      "\u0085",
      "\u2028",
      "x\ty",
      " x ",
      "&a",
      "*a",
      "!!int 1",
      "%",
      "---",
      "...",
      "x ".repeat(99),
    ),
  )
  .filter((text) => {
    try {
      return toDisplayName(text) === text;
    } catch {
      return false;
    }
  });
/** Limits as commands and the API take them. */
const limit = fc.oneof(
  fc.maxSafeNat(),
  fc.constantFrom(0, 999_999_999_999_999, 1_000_000_000_000_000, Number.MAX_SAFE_INTEGER),
);
const targets = fc.subarray([
  "no",
  "fr",
  "yes",
  "on",
  "pt-BR=pt_BR",
  "zh-Hant",
  "sr-Latn=0x1",
  "de=1e3",
  "it=null",
]);
const slugs = fc.uniqueArray(
  fc.constantFrom("web", "app", "1", "0x1", "null", "1e3", "true").map((slug) => toHiveSlug(slug)),
);
const time = fc
  .date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true })
  .map((date) => date.toISOString());
const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef".split("")), minLength: length, maxLength: length });

describe("what is written is read as what it was", () => {
  it("Hives' settings are read as they were written", () => {
    const hive = fc.record(
      {
        name,
        targetLocales: targets.map((codes) => codes.map((code) => toLocale(code))),
        maxDeletions: limit,
        checks: fc.record(
          {
            level: fc.constantFrom(...checkLevels),
            syntax: fc.array(
              fc.record({ files: name, syntax: fc.constantFrom(...syntaxNames) }, { noNullPrototype: true }),
            ),
            formats: fc.array(
              fc.record({ files: name, format: fc.constantFrom(...formatNames) }, { noNullPrototype: true }),
              { minLength: 1 },
            ),
          },
          { requiredKeys: ["level", "syntax"], noNullPrototype: true },
        ),
      },
      { requiredKeys: ["name", "targetLocales"], noNullPrototype: true },
    );
    fc.assert(
      fc.property(hive, (fields) => {
        const given: HiveSettings = { ...fields, sourceLocale: toLocale("en") };
        expect(parseHiveSettings(formatHiveSettings(given))).toEqual(given);
      }),
    );
  });

  it("teams and tokens are read as they were written", () => {
    const acme = toTeamName("acme");
    const team = fc.record(
      { hives: slugs, maxStrings: limit },
      { requiredKeys: ["hives"], noNullPrototype: true },
    );
    const token = fc.record(
      {
        hash: digits(64),
        name,
        abilities: fc.subarray([...abilities]),
        hives: fc.oneof(fc.constant("all" as const), slugs),
        created: time,
        expires: time,
        checks: fc.constant("strict" as const),
        sessionEpoch: fc.integer({ min: 1 }),
        endedSessions: fc.array(
          fc.record({ id: fc.string(), ends: fc.integer({ min: 1 }) }, { noNullPrototype: true }),
        ),
      },
      { requiredKeys: ["hash", "abilities", "hives", "created"], noNullPrototype: true },
    );
    fc.assert(
      fc.property(team, token, (teamFields, tokenFields) => {
        const someTeam: Team = { ...teamFields, name: acme };
        expect(parseTeam(acme, formatTeam(someTeam))).toEqual(someTeam);
        const someToken: Token = { ...tokenFields, team: acme, id: toTokenId("0e1") };
        expect(parseToken(someToken.id, formatToken(someToken))).toEqual(someToken);
      }),
    );
  });

  it("mirrors and their states are read as they were written", () => {
    const refs = digits(64);
    const commit = digits(40).filter(isOid);
    const mirror = fc.record(
      {
        url: fc.constant(toMirrorUrl("https://example.org/web.git")),
        added: time,
        branches: fc.constant<true>(true),
      },
      { requiredKeys: ["url", "added"], noNullPrototype: true },
    );
    const state = fc.record(
      {
        mirror,
        pushed: fc.record({ commit, refs, at: time }, { noNullPrototype: true }),
        failure: fc.record(
          {
            kind: fc.constantFrom(...failureKinds),
            error: name,
            refs,
            at: time,
            attempts: fc.integer({ min: 1 }),
            retryAt: time,
          },
          { noNullPrototype: true },
        ),
      },
      { requiredKeys: ["mirror"], noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.array(mirror), fc.array(state), (mirrors, states: MirrorState[]) => {
        expect(mirrorLists.form.parse(mirrorLists.form.format(mirrors))).toEqual(mirrors);
        expect(mirrorStates.form.parse(mirrorStates.form.format(states))).toEqual(states);
      }),
    );
  });

  it("a mirror gets main alone unless its file says otherwise", () => {
    const [url, added] = ["https://example.org/web.git", "2026-01-01T00:00:00Z"];
    for (const fields of [{}, { branches: false }]) {
      const [read, ...others] = mirrorLists.form.parse(
        JSON.stringify({ mirrors: [{ url, added, ...fields }] }),
      );
      expect([read, others]).toEqual([{ url, added }, []]);
    }
    expect(() =>
      mirrorLists.form.parse(JSON.stringify({ mirrors: [{ url, added, branches: "all" }] })),
    ).toThrow();
  });

  it("settings that could not be read again are not written", () => {
    expect(() => formatHiveSettings({ ...settings, maxDeletions: 1e16 })).toThrow("could not be read again");
    expect(() => formatTeam({ name: toTeamName("acme"), maxStrings: 0.5, hives: [] })).toThrow();
    expect(() => formatSettings({ a: 1 }, 2, () => 3)).toThrow("read as other ones");
  });
});

describe("hive.yaml", () => {
  it("gives back the settings it was made from", () => {
    expect(parseHiveSettings(formatHiveSettings(settings))).toEqual(settings);
    expect(parseHiveSettings(formatHiveSettings({ ...settings, name: "null" })).name).toBe("null");
  });

  it("takes a limit without a value for none", () => {
    expect(parseHiveSettings("name: x\nsource_locale: de\nmax_deletions:\n").maxDeletions).toBeUndefined();
  });

  it.each(["", "plurals:\n", "plurals: auto\n"])("takes %j for plural forms of all kinds", (line) => {
    const settings = parseHiveSettings(`name: x\nsource_locale: en\n${line}`);
    expect(settings.plurals).toBeUndefined();
    expect(formatHiveSettings(settings)).not.toContain("plurals");
    expect(formatHiveSettings({ ...settings, plurals: "none" })).toContain("plurals: none\n");
  });

  it("reads to the same under YAML 1.1", () => expect(formatHiveSettings(settings)).toContain('code: "no"'));

  it("may be written by hand", () => {
    expect(
      parseHiveSettings("name: 12\nsource_locale: de\nextra: x\nlocales:\n- code: no\n  custom_code:\n"),
    ).toEqual({
      name: "12",
      sourceLocale: { code: "de" },
      targetLocales: [{ code: "no" }],
    });
  });

  it("keeps a stored code that Intl would spell differently", () => {
    expect(parseHiveSettings("name: x\nsource_locale: iw\n").sourceLocale.code).toBe("iw");
  });

  it.each([
    "",
    "[]",
    "name: x",
    "name: x\nsource_locale: ../x\n",
    "name: x\nsource_locale: en\nlocales: x\n",
    "name: x\nsource_locale: en\nlocales: [{}]\n",
    "name: x\nsource_locale: en\nlocales: [{code: a/b}]\n",
    "name: x\nsource_locale: en\nlocales: [{code: fr, custom_code: a.b}]\n",
    "name: x\nsource_locale: en\nlocales: [{code: fr}, {code: FR}]\n",
    "name: x\nsource_locale: en\nlocales: [{code: en}, {code: en}]\n",
    "name: x\nsource_locale: en\nmax_deletions: some\n",
    "name: x\nsource_locale: en\nmax_deletions: -1\n",
    "name: x\nsource_locale: en\nmax_deletions: 9007199254740992\n",
    "name: x\nsource_locale: en\nmax_deletions: [1]\n",
    "name: x\nsource_locale: en\nplurals: rails\n",
    "name: &a x\nsource_locale: *a\n",
    "name: [unclosed",
    "\t- x: y: z",
  ])("is invalid as %j", (text) => expect(() => parseHiveSettings(text)).toThrow());
});
