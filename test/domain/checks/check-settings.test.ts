import { describe, expect, it } from "vitest";
import { defaultChecks, proposedRules, syntaxOf } from "../../../src/domain/checks/check-settings.ts";
import { guessSyntax } from "../../../src/domain/checks/guess-syntax.ts";

function fileOf(...texts: readonly string[]) {
  return { texts: new Map(texts.map((text, i) => [`k${i}`, text])) };
}

describe("the syntax of a file", () => {
  const rules = [
    { files: "*.json", syntax: "icu" as const },
    { files: "admin/*.json", syntax: "none" as const },
  ];

  it("is that of the last rule that matches, else what its texts show", () => {
    const settings = { ...defaultChecks, syntax: rules };
    expect(syntaxOf(settings, "en.json", fileOf("{{x}}"))).toBe("icu");
    expect(syntaxOf(settings, "admin/en.json", fileOf("{{x}}"))).toBe("none");
    expect(syntaxOf(settings, "en.yml", fileOf("Hi %{x}"))).toBe("rails");
  });

  it.each([
    ["app_en.arb", "a", "flutter"],
    ["app_en.arb", "It's {name}'s", "flutter"],
    ["app_en.arb", "Open '{name}'", "flutter"],
    ["app_en.arb", "It''s {name}", "flutter-escaped"],
    ["app_en.arb", "Write '{' or '}'", "flutter-escaped"],
    ["auth.php", "a", "laravel"],
    ["res/strings.xml", "a", "android"],
    ["en.json", "{n, plural, one {#} other {#}}", "icu"],
    ["messages.xlf", 'Hi <x id="INTERPOLATION" equiv-text="{{name}}"/>', "icu"],
    ["messages.xlf", 'Hi <ph id="0" equiv="INTERPOLATION" disp="{{name}}"/>', "icu"],
    ["messages.xlf", 'Hi <pc id="0" equivStart="START_LINK" equivEnd="CLOSE_LINK">x</pc>', "icu"],
    ["messages.xlf", 'Hi <ph id="0" dataRef="d"/> %name%', "symfony"],
    ["en.json", "Hi {{name}}", "i18next"],
    ["en.json", "Hi {name}", "brace"],
    ["en.json", "%1$s of %d", "printf"],
    ["en.json", "50% off", "text"],
    ["en.json", "Hi $USER_NAME$, see $link$", "chrome"],
    ["en.json", "It costs $5 or 6$", "text"],
    ["messages.json", "See $1 of $2", "chrome"],
    ["ext/messages.json", "See {name}", "brace"],
    ["messages.yaml", "Hi %name%", "symfony"],
    ["messages.xlf", "%count% of %limit.max%", "symfony"],
    ["en.json", "%s%d%", "printf"],
    ["en.json", "100%sure%", "text"],
    ["app_en.ts", "plain", "qt"],
    ["l10n/App_en.properties", "File '%0' already exists.", "qt"],
    ["en.json", "%L1 of %2", "qt"],
    ["App.properties", "https://a.b/?q=1%26r=2", "text"],
    ["en.json", "https://a.b/?q=1%26r=2", "text"],
    ["en.yml", "a%20b, 10%10", "text"],
    ["en.json", "100%1$s", "printf"],
    ["en.json", "The :attribute is wrong", "laravel"],
    ["en.json", "At 12:30, see http://a.b", "text"],
  ])("%s with the text %j is guessed to be %s", (file, text, expected) => {
    expect(guessSyntax(file, [text, "plain"]).syntax).toBe(expected);
  });

  it.each([
    ["icu", ["{n, plural, other {#}}", "Write '{{name}}'", "Write '{{other}}'", "{a}"]],
    ["icu", ["{n, plural, other {#}}", "Hi {{name}}", "{a}", "{b}"]],
    ["i18next", ["{n, plural, other {#}}", "Hi {{name}}", "{{a}}"]],
    ["brace", ["Hi {name}", "it's {a}", "{b}'s"]],
  ] as const)("of several texts is %s: %j", (expected, texts) => {
    expect(guessSyntax("en.json", texts).syntax).toBe(expected);
  });

  it.each([
    ["laravel", ["plain"]],
    ["laravel", ["The :attribute is {x}", "100% sure, 50% off", "%s of %d"]],
    ["laravel", [":name", ":other", "50%a%"]],
    ["symfony", ["%entity_name%", "plain", "{0} none|]1,Inf] %count%"]],
  ] as const)("of PHP's files is %s with %j", (expected, texts) => {
    expect(guessSyntax("EasyAdmin.en.php", texts).syntax).toBe(expected);
  });

  it.each([
    ["printf", ["plain"]],
    ["printf", ["%s files", "Write {name}", "50%"]],
    ["printf", ["%(n)d", "%s", "{n, plural, other {#}}"]],
    ["icu", ["{n, plural, other {#}}", "Hi {name}", "Hi {other}"]],
    ["icu", ["See <0>this</0>"]],
    ["brace", ["Hi {name}", "plain"]],
    ["qt", ["Open %1", "%1 of %2"]],
  ] as const)("of gettext's files is %s with %j", (expected, texts) => {
    for (const name of ["de.po", "messages.pot"]) expect(guessSyntax(name, texts).syntax).toBe(expected);
  });

  it("is proposed by ending, for files that no rule matches and whose texts show it", () => {
    const files = new Map([
      ["en.json", fileOf("{{x}}")],
      ["a/menu.json", fileOf("plain")],
      ["mail.txt", fileOf("plain")],
      ["auth.php", fileOf("plain")],
    ]);
    expect(proposedRules(defaultChecks, files)).toEqual([
      { files: "*.json", syntax: "i18next" },
      { files: "*.php", syntax: "laravel" },
    ]);
    expect(proposedRules({ ...defaultChecks, syntax: rules }, files)).toEqual([
      { files: "*.php", syntax: "laravel" },
    ]);
  });

  const limits = fileOf("At least {{ limit }}", "At most {{ limit }}", "From {{ min }} to {{ max }}");
  const many = fileOf(...Array.from({ length: 15 }, (_, i) => `${i} of {{ total }}`));

  it.each([".yaml", ".yml", ".xlf", ".php", ".po"])(
    "is Symfony's where its validators have braces: %s",
    (ending) => {
      const files = new Map([
        [`messages${ending}`, fileOf("Hi %name%", "plain")],
        [`validators${ending}`, limits],
        [`security${ending}`, fileOf("plain")],
      ]);
      expect(proposedRules(defaultChecks, files)).toEqual([{ files: `*${ending}`, syntax: "symfony" }]);
      const alone = new Map([[`validators${ending}`, limits]]);
      expect(proposedRules(defaultChecks, alone)).toEqual([{ files: `*${ending}`, syntax: "symfony" }]);
      for (const name of [
        `validators${ending}`,
        `src/Bundle/validators.en${ending}`,
        `validators.pt_BR${ending}`,
      ])
        expect(guessSyntax(name, limits.texts.values()).syntax).toBe("symfony");
    },
  );

  it.each([
    ["most arguments are in braces", fileOf("Hi %name%", "%count% files"), limits, ["symfony", "i18next"]],
    ["very few are between signs", fileOf("Hi %name%"), many, ["i18next", "i18next"]],
    [
      "texts of i18next stand beside",
      fileOf("%a%", "%b%"),
      fileOf("{{a}}", "{{b, uppercase}}", "$t(x)"),
      ["i18next", "symfony"],
    ],
    [
      "texts of Go stand beside",
      fileOf("%a%", "%b%"),
      fileOf("{{.A}}", "{{ .B }}", "{{a}}"),
      ["i18next", "symfony"],
    ],
  ] as const)("is that of most files where %s", (_, signs, braces, [usual, other]) => {
    const files = new Map([
      ["messages.yaml", signs],
      ["flash.yaml", braces],
    ]);
    const settings = { ...defaultChecks, syntax: proposedRules(defaultChecks, files) };
    expect(settings.syntax[0]).toEqual({ files: "*.yaml", syntax: usual });
    const [ofMessages, ofFlash] = [...files].map(([name, file]) => syntaxOf(settings, name, file));
    expect(usual === "symfony" ? ofFlash : ofMessages).toBe(other);
  });

  it("is ICU's in Symfony's files of ICU messages", () => {
    const files = new Map([
      ["messages.yaml", fileOf("Hi %name%", "%count% files", "%a%")],
      ["mail+intl-icu.yaml", fileOf("Hi {name}", "Bye {name}")],
    ]);
    expect(guessSyntax("mail+intl-icu.yaml", ["Hi {name}"]).syntax).toBe("icu");
    expect(proposedRules(defaultChecks, files)).toEqual([
      { files: "*.yaml", syntax: "symfony" },
      { files: "mail+intl-icu.yaml", syntax: "icu" },
    ]);
  });

  const json = [fileOf("{{a}} b", "{{c}}"), fileOf("%s and %d", "%2$s")] as const;
  const layouts: Readonly<
    Record<string, readonly [Readonly<Record<string, ReturnType<typeof fileOf>>>, readonly object[]]>
  > = {
    "folders of different programs": [
      {
        "a/x.json": json[0],
        "a/y.json": json[0],
        "a/z.json": fileOf("none"),
        "b/c/x.json": json[1],
        "b/e.json": fileOf("%s"),
        "c.json": json[0],
        "b/d.json": json[1],
      },
      [
        { files: "*.json", syntax: "i18next" },
        { files: "b/**/*.json", syntax: "printf" },
      ],
    ],
    "files of different programs": [
      { "x.json": json[0], "y.json": json[0], "z.json": fileOf("%s"), "b.json": json[1] },
      [
        { files: "*.json", syntax: "i18next" },
        { files: "b.json", syntax: "printf" },
      ],
    ],
    "a file of another program in the folder of another one": [
      { "a/x.json": json[0], "a/y.json": json[0], "a/z.json": json[1] },
      [
        { files: "*.json", syntax: "i18next" },
        { files: "a/z.json", syntax: "printf" },
      ],
    ],
    "a file whose name others in folders have": [
      { "x.json": json[1], "a/x.json": json[0], "b/x.json": json[0] },
      [
        { files: "*.json", syntax: "i18next" },
        { files: "x.json", syntax: "printf" },
        { files: "a/x.json", syntax: "i18next" },
        { files: "b/x.json", syntax: "i18next" },
      ],
    ],
    "a single text, or one beside usual ones": [
      {
        "a.json": json[0],
        "d.json": json[0],
        "b.json": fileOf("100%d"),
        "c.json": fileOf("{{x}}", "%s", "%d"),
      },
      [{ files: "*.json", syntax: "i18next" }],
    ],
    "names in braces beside messages of ICU": [
      { "a.json": fileOf("{n, plural, other {#}}", "{a}"), "b.json": fileOf("{a}", "{b}", "{c}") },
      [{ files: "*.json", syntax: "icu" }],
    ],
    "words behind colons": [
      { "a.json": json[0], "b.json": json[0], "emoji.json": fileOf(":smile", ":cry", ":sob") },
      [{ files: "*.json", syntax: "i18next" }],
    ],
    "names that a pattern would read otherwise": [
      { "a.json": json[0], "c.json": json[0], "b*.json": json[1] },
      [{ files: "*.json", syntax: "i18next" }],
    ],
    "so many that no order shows": [
      {
        ...Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`p${i}.json`, json[1]])),
        ...Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`i${i}.json`, json[0]])),
      },
      [{ files: "*.json", syntax: "i18next" }],
    ],
  };
  it.each(Object.entries(layouts))("are proposed for %s", (_, [files, rules]) => {
    const named = new Map(Object.entries(files));
    expect(proposedRules(defaultChecks, named)).toEqual(rules);
  });

  it.each<
    readonly [
      ending: string,
      usual: string,
      texts: readonly string[],
      other: string,
      others: readonly string[],
    ]
  >([
    [".ini", "brace", ["{name}", "{other}", "{more}"], "printf", ["%s", "%1$s of %2$s"]],
    [".json", "printf", ["%s", "%d", "%s"], "i18next", ["{{a}}", "{{b}}"]],
    [".yml", "rails", ["%{a}", "%{b}", "%{c}"], "symfony", ["%name%", "%other%"]],
    [".properties", "java", ["{0}", "{1}", "{0} {1}"], "printf", ["%s", "%d"]],
    [".po", "printf", ["%s", "%d", "%s"], "icu", ["<0>a</0>", "<1/>"]],
    [".toml", "printf", ["%s", "%d", "%s"], "brace", ["{a}", "{b}"]],
    [".csv", "brace", ["{a}", "{b}", "{c}"], "rails", ["%{a}", "%{b}"]],
    [".xlf", "icu", ['<x id="A"/>', '<x id="B"/>', '<x id="C"/>'], "symfony", ["%name%", "%other%"]],
  ])("tell the files of different programs apart: %s", (ending, usual, texts, other, others) => {
    const files = new Map([
      [`admin/a${ending}`, fileOf(...others)],
      [`site/b${ending}`, fileOf(...texts)],
    ]);
    const rules = proposedRules(defaultChecks, files);
    expect(rules).toEqual([
      { files: `*${ending}`, syntax: usual },
      { files: `admin/**/*${ending}`, syntax: other },
    ]);
    const settings = { ...defaultChecks, syntax: rules };
    for (const [name, file] of files)
      expect(syntaxOf(settings, name, file)).toBe(name.startsWith("admin/") ? other : usual);
  });
});
