/**
 * The settings of `skep serve`: one table, from which the flags, the variables, the file `skep-server.yaml` and the help come.
 * The name `bodyLimit` is the flag `--body-limit`, the variable `SKEP_BODY_LIMIT` and `body_limit` in the file.
 */
import { messageOf } from "../domain/errors.ts";
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import {
  byteCount,
  choice,
  choices,
  corsOrigins,
  databaseUrl,
  filledText,
  file,
  folder,
  host,
  issuerUrl,
  mailbox,
  mirrorAddresses,
  endpoints,
  networks,
  optional,
  port,
  positiveNumber,
  scopes,
  timeout,
  serverUrl,
  smtpUrl,
  staleness,
  wholeNumber,
  type Kind,
} from "./kinds.ts";

interface Row {
  readonly parse: Kind<unknown>;
  /** What its flag takes, as the help shows it. */
  readonly takes: string;
  readonly default: string;
  /** The default as the help shows it, where that says more. */
  readonly shown?: string;
  /** Whether it is on or off, so that `--no-` before its name turns it off, too. */
  readonly isSwitch?: boolean;
  readonly help: string;
}

/** The memory of the machine, or of the container in which the process runs. */
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** A quarter of that memory, or of what Node can use of it where that is less. */
const quarter = Math.floor(Math.min(availableMemory(), 2 * getHeapStatistics().heap_size_limit) / 4);

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
const logFormats = ["auto", "json", "pretty"] as const;

// One line a setting.
// oxfmt-ignore
const table = {
  storage: { parse: folder, takes: "<dir>", default: "./storage", help: "the folder of the storage" },
  otherUser: { parse: choice("refuse", "allow"), takes: "<answer>", default: "refuse", help: "whether to work on a storage that belongs to another user, who could not change the files written by this one: refuse or allow" },
  otherHost: { parse: choice("refuse", "allow"), takes: "<answer>", default: "refuse", help: "whether to work on a storage on a file system of the network while another machine does: refuse or allow" },
  database: { parse: optional(databaseUrl, "off"), takes: "<url>", default: "off", help: "the PostgreSQL database that holds the storage, such as postgres://skep@db1,db2/skep: the folder is then a copy of it, and several servers may work on it; a password is better given in a file" },
  databasePasswordFile: { parse: optional(file, "none"), takes: "<file>", default: "none", help: "a file that holds the password for the database" },
  databaseCa: { parse: optional(file, "none"), takes: "<file>", default: "none", help: "a file with the certificates that the database's certificate is checked against, instead of the system's" },
  databaseConnections: { parse: positiveNumber, takes: "<n>", default: "10", help: "how many connections to the database there may be at once" },
  copyBytes: { parse: optional(byteCount, "off"), takes: "<bytes>", default: "off", help: "how much disk the copy of a database may take: the least recently used Hives are removed from it; off for no limit" },
  staleness: { parse: staleness, takes: "<time>", default: "0", help: "how old the answers of reads may be while the database does not answer, in s, m or h; 0 for none" },
  host: { parse: host, takes: "<host>", default: "127.0.0.1", help: "the address to listen on" },
  port: { parse: port, takes: "<port>", default: "4488", help: "the port to listen on; 0 takes a free one" },
  publicUrl: { parse: optional(serverUrl, "off"), takes: "<url>", default: "off", help: "the address of this server as people open it, such as https://skep.example.org; invitations, passkeys and device codes need it" },
  trustProxy: { parse: optional(networks, "none"), takes: "<addresses>", default: "none", help: "the proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted: addresses, networks such as 10.0.0.0/8, loopback, linklocal, uniquelocal, separated by commas" },
  corsOrigin: { parse: optional(corsOrigins, "none"), takes: "<origins>", default: "none", help: "the origins whose pages may use the API in a browser, such as https://app.example.org, separated by commas; or * for all" },
  console: { parse: choice("on", "off"), takes: "[on]", default: "on", isSwitch: true, help: "whether there are pages for people at /: on or off" },
  hangTimeout: { parse: optional(timeout, "none"), takes: "<time>", default: "30s", help: "how long a process may not respond, as in an endless loop, in s, m or h: then it ends with exit code 70; none for ever" },
  drainDelay: { parse: staleness, takes: "<time>", default: "6s", help: "how long a server that was told to stop (SIGTERM) still answers, in s, m or h, while /readyz is 503 and each response closes its connection, so that load balancers and proxies turn to others; 0 for not at all" },
  bodyLimit: { parse: byteCount, takes: "<bytes>", default: "16MiB", help: "the largest request body" },
  bodyValues: { parse: wholeNumber, takes: "<n>", default: "200000", help: "how many values, keys and groups a request body may hold" },
  fileStrings: { parse: positiveNumber, takes: "<n>", default: "50000", help: "how many strings a source file may have; larger ones that are stored already may not grow" },
  bodyBudget: { parse: byteCount, takes: "<bytes>", default: "128MiB", help: "how much memory the bodies of all requests may take at once, up to half of it those of one team; at least twice the body limit" },
  cacheBytes: { parse: byteCount, takes: "<bytes>", default: "64MiB", help: "how much memory cached responses may take" },
  memoryBudget: { parse: byteCount, takes: "<bytes>", default: String(quarter), shown: "a quarter of the machine's", help: "about how much memory the content of Hives may take" },
  maxSlowReads: { parse: positiveNumber, takes: "<n>", default: "8", help: "how many slow reads are answered at once, up to half of them those of one team: history of a locale, file or key, earlier commits, exports of all locales, dry runs; others wait" },
  slowReadTimeout: { parse: timeout, takes: "<time>", default: "1m", help: "how long a slow read may take, waiting included, in s, m or h; then it gets a 503" },
  maxStreams: { parse: wholeNumber, takes: "<n>", default: "1024", help: "how many streams of events may be open, up to half of them those of one team; further ones get a 503" },
  maxClones: { parse: wholeNumber, takes: "<n>", default: "16", help: "how many git clones and fetches are answered at once, shared fairly between teams; others wait" },
  cloneTimeout: { parse: timeout, takes: "<time>", default: "10m", help: "how long a clone or fetch may take, in s, m or h" },
  maxPushes: { parse: wholeNumber, takes: "<n>", default: "4", help: "how many git pushes are taken at once, shared fairly between teams, and one at a time of each Hive; others wait; 0 turns pushing off" },
  pushTimeout: { parse: timeout, takes: "<time>", default: "2m", help: "how long a push may take, waiting included, in s, m or h" },
  maxPushObjects: { parse: wholeNumber, takes: "<n>", default: "20000", help: "how many objects, that is files, folders and commits, one push may have" },
  maxPushBytes: { parse: byteCount, takes: "<bytes>", default: "128MiB", help: "how large the objects of a push may be together when they are unpacked; the body limit holds for a push, too" },
  packAfter: { parse: wholeNumber, takes: "<objects>", default: "4000", help: "about how many loose objects a Hive may have before git packs it in the background; 0 turns that off" },
  maxTokens: { parse: wholeNumber, takes: "<n>", default: "1000", help: "how many tokens a team may have; the API answers 422 beyond that, commands have no such limit" },
  maxHives: { parse: wholeNumber, takes: "<n>", default: "1000", help: "how many Hives a team may have, in the same way" },
  maxTrash: { parse: wholeNumber, takes: "<n>", default: "1000", help: "how many deleted Hives a team may keep in the trash, in the same way" },
  maxTags: { parse: wholeNumber, takes: "<n>", default: "5000", help: "how many tags a Hive may have" },
  maxBranches: { parse: wholeNumber, takes: "<n>", default: "1000", help: "how many branches besides main a Hive may have, and how many deleted ones that can still be restored; further deletions are refused" },
  maxChannels: { parse: wholeNumber, takes: "<n>", default: "20", help: "how many channels a Hive may have; the API answers 422 beyond that, commands have no such limit" },
  channelMaxAge: { parse: timeout, takes: "<time>", default: "2s", help: "how long shared caches may answer for a channel before they ask again, in s, m or h; browsers half of it" },
  webhookAllow: { parse: optional(endpoints, "none"), takes: "<networks>", default: "none", help: "the networks besides the public internet to which webhooks may lead, over http, too: addresses, networks such as 10.0.0.0/8, loopback, linklocal, uniquelocal, each with an optional port (loopback:8080), separated by commas" },
  engineAllow: { parse: optional(endpoints, "none"), takes: "<networks>", default: "none", help: "the networks besides the public internet where engines that translate may answer, over http, too: addresses, networks such as 10.0.0.0/8, loopback, linklocal, uniquelocal, each with an optional port (loopback:11434), separated by commas" },
  mirrorAllow: { parse: mirrorAddresses, takes: "<addresses>", default: "none", help: "what the addresses of mirrors begin with that administrators of teams add over HTTP, separated by commas, such as https://git.example.org/{team}/; git pushes with the credentials of the server's user" },
  signIn: { parse: choices("token", "invite", "oidc"), takes: "<ways>", default: "token,invite", help: "how people sign in to the console, separated by commas: token, with a token; invite, with what they chose when they were invited, a passkey or a password; oidc, at an identity provider by OpenID Connect" },
  inviteWith: { parse: choices("passkey", "password"), takes: "<what>", default: "passkey,password", help: "what somebody who is invited may choose to sign in with, separated by commas: passkey, password" },
  oidcIssuer: { parse: optional(issuerUrl, "none"), takes: "<url>", default: "none", help: "the identity provider, exactly as it names itself, such as https://login.example.org/realms/main" },
  oidcClientId: { parse: optional(filledText, "none"), takes: "<id>", default: "none", help: "what the provider calls this server" },
  oidcClientSecretFile: { parse: optional(file, "none"), takes: "<file>", default: "none", help: "a file that holds the client secret that the provider gave; a client without a secret needs none" },
  oidcName: { parse: filledText, takes: "<name>", default: "single sign-on", help: "what people call the provider: Sign in with <name>" },
  oidcScopes: { parse: scopes, takes: "<scopes>", default: "openid profile email", help: "the scopes that are asked for, separated by blanks; some providers need one for groups" },
  oidcGroups: { parse: filledText, takes: "<claim>", default: "groups", help: "the claim that holds the groups of a person, with dots between the names of members, such as realm_access.roles" },
  oidcRules: { parse: optional(file, "none"), takes: "<file>", default: "none", help: "a YAML file that says what the groups may do" },
  smtpUrl: { parse: optional(smtpUrl, "off"), takes: "<url>", default: "off", help: "the mail server that takes mails of invitations, forgotten passwords and digests, such as smtps://user@mail.example.org; it needs --mail-from and --public-url" },
  smtpPasswordFile: { parse: optional(file, "none"), takes: "<file>", default: "none", help: "a file that holds the password of that user" },
  mailFrom: { parse: optional(mailbox, "none"), takes: "<address>", default: "none", help: "what mails come from, such as Skep <skep@example.org>" },
  logLevel: { parse: choice(...logLevels), takes: "<level>", default: "info", help: "what is logged: debug, which includes successful reads, info, warn, error or silent" },
  logFormat: { parse: choice(...logFormats), takes: "<format>", default: "auto", help: "json, one object a line; pretty, for people; or auto: pretty on a terminal, else json" },
  metricsPort: { parse: optional(port, "off"), takes: "<port>", default: "off", help: "the port that serves /metrics to Prometheus; 0 takes a free one" },
  metricsHost: { parse: host, takes: "<host>", default: "127.0.0.1", help: "the address of that port; reading metrics needs no token" },
} satisfies Readonly<Record<string, Row>>;

type SettingName = keyof typeof table;

/** The headings of the help, each by its first setting. */
const headings: Readonly<Partial<Record<string, string>>> = {
  storage: "Storage",
  host: "Address and browsers",
  hangTimeout: "Process, memory and slow requests",
  maxClones: "Git",
  maxTokens: "Teams and Hives",
  signIn: "Signing in",
  smtpUrl: "Mail",
  logLevel: "Logs and metrics",
} satisfies Partial<Record<SettingName, string>>;

/** What `skep serve` needs to know. Times are in milliseconds, sizes in bytes. */
export type ServeConfig = { readonly [Name in SettingName]: ReturnType<(typeof table)[Name]["parse"]> };

export interface Setting extends Row {
  /** As commander and {@link ServeConfig} have it. */
  readonly name: string;
  readonly flag: string;
  readonly variable: string;
  /** Its name in the file. */
  readonly key: string;
  /** Its heading in the help. */
  readonly heading: string;
}

let heading = "";
/** All settings, in the order of the help. */
export const settings: readonly Setting[] = Object.entries<Row>(table).map(([name, row]) => {
  heading = headings[name] ?? heading;
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  return Object.assign({}, row, {
    name,
    ...namesOf(words.join("_")),
    key: words.join("_"),
    heading,
  });
});

/** What is wrong with the text of a setting, in words that follow its name; undefined when nothing is. */
export function problemOf({ parse }: Pick<Setting, "parse">, text: string): string | undefined {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * The configuration that texts stand for.
 * @param texts by the names of settings; one that is missing has its default.
 * @throws Error with what the first wrong one must be.
 */
export function toConfig(texts: Readonly<Record<string, string | undefined>>): ServeConfig;
// The compiler cannot see that each value is what the row of that name parses, hence the overload.
export function toConfig(texts: Readonly<Record<string, string | undefined>>): object {
  const values = settings.map(({ name, parse, ...row }) => [name, parse(texts[name] ?? row.default)]);
  return Object.freeze(Object.fromEntries(values));
}

export const defaults: ServeConfig = toConfig({});

/** Settings that have left, by their names in the file, and what takes their place. */
export const removedSettings: ReadonlyMap<string, string> = new Map([
  [
    "workers",
    "has left: a server is one process; for more of them, run several servers on one --storage behind a proxy, as docs/servers.md says",
  ],
]);

/** The flag and the variable of a setting by its name in the file. */
export function namesOf(key: string): { readonly flag: string; readonly variable: string } {
  return { flag: `--${key.replaceAll("_", "-")}`, variable: `SKEP_${key.toUpperCase()}` };
}

export const fileVariable = "SKEP_CONFIG";

/** The variables of the commands for an app's repository. */
export const clientVariables = ["SKEP_SERVER", "SKEP_HIVE", "SKEP_BRANCH", "SKEP_TOKEN"];

/** The variables that begin with `SKEP_` and belong to no setting, each with what to say behind its name. */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> {
  const known = new Set([fileVariable, ...clientVariables, ...settings.map(({ variable }) => variable)]);
  const removed = new Map(Array.from(removedSettings, ([key, why]) => [namesOf(key).variable, why]));
  const names = Object.keys(environment).filter((name) => name.startsWith("SKEP_") && !known.has(name));
  const unknown = "is set but is not a setting of skep; skep serve --help lists them";
  return new Map(names.toSorted().map((name) => [name, removed.get(name) ?? unknown]));
}

/** The text of a setting without the password that the address of a database may hold. */
export function maskedText(text: string): string {
  return text
    .replace(/^(\w+:\/\/[^/?#:@]*):.*@/s, "$1:***@")
    .replaceAll(/([?&](?:ssl)?password=)[^&]*/gi, "$1***");
}
