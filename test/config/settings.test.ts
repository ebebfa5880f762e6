/** The table of settings: what each takes, and what is said about what it does not. */
import { chmodSync, writeFileSync } from "node:fs";
import { BlockList } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defaults, settings, toConfig, unknownVariables } from "../../src/config/settings.ts";
import { parseSettings, readSettingsFile } from "../../src/config/file.ts";
import { realFolder } from "../helpers/storage.ts";

/** For each setting a text that is not its default, what it stands for, and texts that it refuses. */
const cases: Readonly<Record<string, readonly [string, unknown, readonly string[]]>> = {
  storage: ["/srv/skep", "/srv/skep", [""]],
  otherUser: ["allow", "allow", ["", "yes"]],
  otherHost: ["allow", "allow", ["", "yes"]],
  database: [
    "postgres://skep:pw@db1,db2:5433/skep",
    "postgres://skep:pw@db1,db2:5433/skep",
    ["", "db1", "http://db1"],
  ],
  databasePasswordFile: ["/run/password", "/run/password", [""]],
  databaseCa: ["/etc/ca.pem", "/etc/ca.pem", [""]],
  databaseConnections: ["3", 3, ["", "0", "-1"]],
  copyBytes: ["2GiB", 2 * 2 ** 30, ["", "-1", "2GB", "none"]],
  staleness: ["5m", 300_000, ["", "0s", "30", "2d"]],
  host: ["::1", "::1", ["", " "]],
  port: ["8080", 8080, ["", "-1", "65536", "4488.5", "http", "0x10", "tcp://10.0.0.1:80"]],
  drainDelay: ["5s", 5_000, ["", "0s", "5", "2d"]],
  hangTimeout: ["1m", 60_000, ["", "0s", "30", "2d"]],
  bodyLimit: ["2MiB", 2 * 2 ** 20, ["", "-1", "2MB", "1.5MiB", "9007199254740993", "9999999999GiB"]],
  bodyValues: ["10", 10, ["", "-1", "1e3"]],
  fileStrings: ["10", 10, ["", "0", "-1"]],
  bodyBudget: ["1GiB", 2 ** 30, ["much"]],
  cacheBytes: ["0", 0, ["none"]],
  memoryBudget: ["512KiB", 512 * 1024, ["1 MiB"]],
  maxClones: ["3", 3, ["many", "1e3", "9007199254740993"]],
  cloneTimeout: ["90s", 90_000, ["", "0s", "10", "25h", "2d", "1w"]],
  maxPushes: ["0", 0, ["", "-1", "1.5"]],
  pushTimeout: ["30s", 30_000, ["", "0s", "30"]],
  maxPushObjects: ["5", 5, ["", "-1"]],
  maxPushBytes: ["1MiB", 1_048_576, ["", "-1", "1 MB"]],
  maxSlowReads: ["1", 1, ["0", "-1", "many"]],
  slowReadTimeout: ["90s", 90_000, ["", "0s", "2d"]],
  maxStreams: ["0", 0, ["-1", "many"]],
  webhookAllow: ["loopback", { allows: expect.any(Function) }, ["everywhere", "10.0.0.0/33", "loopback:0"]],
  engineAllow: [
    "loopback:11434",
    { allows: expect.any(Function) },
    ["everywhere", "loopback:65536", "[::1]:x"],
  ],
  mirrorAllow: [
    "https://git.example.org/{team}/, git@example.org:acme",
    ["https://git.example.org/{team}/", "git@example.org:acme"],
    ["", "git.example.org/acme", "ftp://example.org/", "https://", "https://a.example/x,"],
  ],
  maxTokens: ["50", 50, ["-1", "all"]],
  maxHives: ["50", 50, ["-1", "all"]],
  maxTrash: ["50", 50, ["-1", "all"]],
  maxTags: ["50", 50, ["-1", "all"]],
  maxBranches: ["50", 50, ["-1", "all"]],
  maxChannels: ["50", 50, ["-1", "all"]],
  channelMaxAge: ["1m", 60_000, ["", "0s", "2d"]],
  packAfter: ["0", 0, ["-1"]],
  trustProxy: [
    "loopback, 10.0.0.1",
    expect.any(BlockList),
    ["", "localhost", "10.0.0.0/33", "10.0.0.0/", "::1/129", "true", "1", "10.0.0.1,,"],
  ],
  publicUrl: [
    "https://skep.example.org/texts/",
    "https://skep.example.org/texts",
    ["", "skep.example.org", "ftp://skep.example.org", "https://user@skep.example.org"],
  ],
  signIn: ["invite", new Set(["invite"]), ["", "none", "token,", "password"]],
  inviteWith: ["password", new Set(["password"]), ["", "none", "token"]],
  oidcIssuer: [
    "https://login.example.org/realms/main/",
    "https://login.example.org/realms/main/",
    ["", "login.example.org", "http://login.example.org", "https://u@a.example", "https://a.example/?x"],
  ],
  oidcClientId: ["skep", "skep", ["", " "]],
  oidcClientSecretFile: ["/run/secrets/oidc", "/run/secrets/oidc", [""]],
  oidcName: [" Example ", "Example", ["", " "]],
  oidcScopes: ["openid groups", "openid groups", ["", "profile", "openid,profile"]],
  oidcGroups: ["realm_access.roles", "realm_access.roles", [""]],
  smtpUrl: [
    "smtps://skep@mail.example.org",
    new URL("smtps://skep@mail.example.org"),
    [
      "",
      "mail.example.org",
      "http://a.example",
      "smtp://u:p@a.example",
      "smtp://a.example/x",
      "smtp://a.example?b",
    ],
  ],
  smtpPasswordFile: ["/run/secrets/smtp", "/run/secrets/smtp", [""]],
  mailFrom: [
    "Skep <skep@example.org>",
    { name: "Skep", address: "skep@example.org" },
    ["", "Skep", "a@b.example, c@d.example"],
  ],
  oidcRules: ["/etc/skep/rules.yaml", "/etc/skep/rules.yaml", [""]],
  corsOrigin: [
    "https://app.example.org, tauri://localhost",
    new Set(["https://app.example.org", "tauri://localhost"]),
    [
      "",
      "null",
      "*, https://a.example",
      "https://*.example.org",
      "app.example.org",
      "https://a.example/",
      "https://a.example:443",
      "https://A.example",
      "https://u@a.example",
    ],
  ],
  console: ["off", "off", ["", "yes", "true"]],
  logLevel: ["debug", "debug", ["DEBUG", "all", "trace"]],
  logFormat: ["json", "json", ["xml"]],
  metricsPort: ["9464", 9464, ["", "on", "65536"]],
  metricsHost: ["0.0.0.0", "0.0.0.0", [""]],
};

it("the tests of settings have cases for every setting", () => {
  expect(Object.keys(cases).toSorted()).toEqual(settings.map(({ name }) => name).toSorted());
});

describe.each(settings)("the setting $name", ({ name, key, flag, variable }) => {
  const [text, value, refused] = cases[name] ?? ["", undefined, []];

  it("a setting has a default, and another value that a text stands for", () => {
    expect(toConfig({ [name]: text })).toEqual({ ...defaults, [name]: value });
    expect(new Map<string, unknown>(Object.entries(defaults)).get(name)).not.toEqual(value);
  });

  it("a setting can stand in the file", async () => {
    expect(await parseSettings("skep-server.yaml", `${key}: "${text}"\n`)).toEqual(new Map([[name, text]]));
  });

  it.each(refused)("a setting refuses %j", async (wrong) => {
    expect(() => toConfig({ [name]: wrong })).toThrow(/^(?:"[^"]*" )?must .+/);
    const file = `# comment\n\n${key}: ${JSON.stringify(wrong)}\n`;
    await expect(parseSettings("skep-server.yaml", file)).rejects.toThrow(
      new RegExp(`^skep-server\\.yaml:3: ${key}: (?:"[^"]*" )?must .+`),
    );
  });

  it("a setting has the same name as flag, variable and member of the file", () => {
    expect(flag.slice(2).replaceAll("-", "_")).toBe(key);
    expect(variable).toBe(`SKEP_${key.toUpperCase()}`);
  });
});

describe("the settings file", () => {
  it("may be empty, or hold plain YAML values", async () => {
    for (const empty of ["", "\n", "# nothing\n", "---\n"])
      expect(await parseSettings("f", empty)).toEqual(new Map());
    expect(await parseSettings("f", "port: 080\nhost: 'localhost'\n")).toEqual(
      new Map([
        ["port", "080"],
        ["host", "localhost"],
      ]),
    );
  });

  it.each<[string, string, string]>([
    ["an unknown name", "port: 1\nprot: 2\n", 'f:2: "prot" is not a setting; skep serve --help lists them'],
    ["a setting that has left", "workers: 2\n", 'f:1: "workers" has left: a server is one process'],
    ["a flag's spelling", "body-limit: 1\n", 'f:1: "body-limit" is not a setting'],
    ["a name of every object", "__proto__: 1\n", 'f:1: "__proto__" is not a setting'],
    ["the name of another file", "config: other.yaml\n", 'f:1: "config" is not a setting'],
    ["a value of several", "host: [a, b]\n", "f:1: host: must be a single value"],
    ["an alias", "host: &a b\nstorage: *a\n", "f:2: storage: must be a single value"],
    ["nothing after a name", "host:\n", "f:1: host: must not be empty"],
    ["a name twice", "port: 1\nport: 2\n", "f:2: is not YAML: Map keys must be unique"],
    ["settings of an app", "hive: web\n", 'f:1: "hive" is for the skep.yaml of an app\'s repository'],
    ["no YAML", "port: 1\n\tx", "f:2: is not YAML"],
    ["a list", "- port\n", "f:1: must hold names and values"],
    ["a word", "\nport\n", "f:2: must hold names and values"],
  ])("is refused with %s, in one line", async (_, text, message) => {
    await expect(parseSettings("f", text)).rejects.toThrow(message);
    await expect(parseSettings("f", text)).rejects.toThrow(/^[^\n]+$/);
  });
});

describe("the settings file in the current folder", () => {
  /** As a user who may not look into the folders of others: root may look everywhere. */
  function unprivileged<T>(run: () => T): T {
    if (process.geteuid?.() !== 0) return run();
    process.seteuid?.(65_534);
    try {
      return run();
    } finally {
      process.seteuid?.(0);
    }
  }

  it("is ignored if the process may not look whether it exists", async () => {
    const folder = realFolder();
    const path = join(folder, "skep-server.yaml");
    writeFileSync(path, "port: 1\n", { mode: 0 });
    // Seen, but not read: that is no accident to pass over.
    chmodSync(folder, 0o755);
    await expect(unprivileged(() => readSettingsFile(path, false))).rejects.toThrow(
      "cannot be read (EACCES)",
    );
    chmodSync(folder, 0);
    expect(await unprivileged(() => readSettingsFile(path, false))).toEqual(new Map());
    await expect(unprivileged(() => readSettingsFile(path, true))).rejects.toThrow("cannot be read (EACCES)");
    chmodSync(folder, 0o755);
  });
});

describe("an app's skep.yaml in the current folder", () => {
  it("is refused when it has settings of the server, which had that name for its file before", async () => {
    const folder = realFolder();
    writeFileSync(join(folder, "skep.yaml"), "# ours\nstorage: /var/lib/skep\n");
    await expect(readSettingsFile(join(folder, "skep-server.yaml"), false)).rejects.toThrow(
      /skep\.yaml:2: storage is a setting of the server, whose file is skep-server\.yaml: rename /,
    );
    expect(await readSettingsFile(join(folder, "skep.yaml"), true)).toEqual(
      new Map([["storage", "/var/lib/skep"]]),
    );
  });

  it.each(["hive: web\nfiles:\n  - lang/{locale}.json\n", "", "- a\n", "a: [\n"])(
    "may be %j",
    async (text) => {
      const folder = realFolder();
      writeFileSync(join(folder, "skep.yaml"), text);
      expect(await readSettingsFile(join(folder, "skep-server.yaml"), false)).toEqual(new Map());
    },
  );
});

it("environment variables that match no setting are found", () => {
  const environment = {
    SKEP_PORT: "1",
    SKEP_PROT: "1",
    SKEP_CONFIG: "x",
    SKEP_TOKEN: "x",
    SKEP_BRANCH: "x",
    SKEP_: "",
    HOME: "/",
    SKEPTIC: "1",
  };
  expect([...unknownVariables({ ...environment, SKEP_WORKERS: "2" })]).toEqual([
    ["SKEP_", expect.stringMatching(/^is set but is not a setting/)],
    ["SKEP_PROT", expect.stringMatching(/^is set but is not a setting/)],
    ["SKEP_WORKERS", expect.stringMatching(/^has left/)],
  ]);
});
