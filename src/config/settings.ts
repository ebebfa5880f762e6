/**
 * The settings of `skep serve`: one table, from which the flags, the variables, the file `skep-server.yaml` and the help come.
 * The name `bodyLimit` is the flag `--body-limit`, the variable `SKEP_BODY_LIMIT` and `body_limit` in the file.
 */
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import {
  byteCount,
  choice,
  choices,
  corsOrigins,
  filledText,
  folder,
  followerSecret,
  host,
  issuerUrl,
  networks,
  optionalFile,
  optionalPort,
  optionalText,
  optionalTimeout,
  port,
  positiveNumber,
  scopes,
  timeout,
  serverUrl,
  wholeNumber,
  workerCount,
  type Kind,
} from "./kinds.ts";

/** A setting as the table has it. */
interface Row {
  /** Reads its text. */
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
  host: { parse: host, takes: "<host>", default: "127.0.0.1", help: "the address to listen on" },
  port: { parse: port, takes: "<port>", default: "4488", help: "the port to listen on; 0 takes a free one" },
  workers: { parse: workerCount, takes: "<n>", default: "1", help: "how many processes answer requests, or auto: as many as there are cores; the limits below are shared out between them" },
  hangTimeout: { parse: optionalTimeout, takes: "<time>", default: "30s", help: "for how long a process may do nothing but one thing, such as an endless loop, in s, m or h: then it is ended with exit code 70, and a worker is replaced; none for ever" },
  bodyLimit: { parse: byteCount, takes: "<bytes>", default: "16MiB", help: "the largest request body" },
  bodyValues: { parse: wholeNumber, takes: "<n>", default: "200000", help: "how many values, keys and groups a request body may hold" },
  fileStrings: { parse: positiveNumber, takes: "<n>", default: "50000", help: "how many strings a source file may have; larger ones that are stored already may not grow" },
  bodyBudget: { parse: byteCount, takes: "<bytes>", default: "128MiB", help: "how much memory the bodies of all requests may take at once, up to half of it those of one team; at least twice the body limit" },
  cacheBytes: { parse: byteCount, takes: "<bytes>", default: "64MiB", help: "how much memory cached responses may take" },
  memoryBudget: { parse: byteCount, takes: "<bytes>", default: String(quarter), shown: "a quarter of the machine's", help: "about how much memory the content of Hives may take" },
  maxClones: { parse: wholeNumber, takes: "<n>", default: "16", help: "how many git clones and fetches are answered at once, shared fairly between teams; others wait" },
  cloneTimeout: { parse: timeout, takes: "<time>", default: "10m", help: "how long a clone or fetch may take, in s, m or h" },
  maxPushes: { parse: wholeNumber, takes: "<n>", default: "4", help: "how many git pushes are taken at once, shared fairly between teams, and one at a time of each Hive; others wait; 0 turns pushing off" },
  pushTimeout: { parse: timeout, takes: "<time>", default: "2m", help: "how long a push may take, waiting included, in s, m or h" },
  maxPushObjects: { parse: wholeNumber, takes: "<n>", default: "20000", help: "how many objects, that is files, folders and commits, one push may have" },
  maxPushBytes: { parse: byteCount, takes: "<bytes>", default: "128MiB", help: "how large the objects of a push may be together when they are unpacked; the body limit holds for a push, too" },
  maxSlowReads: { parse: positiveNumber, takes: "<n>", default: "8", help: "how many slow reads are answered at once, up to half of them those of one team: history of a locale, file or key, earlier commits, exports of all locales, dry runs; others wait" },
  slowReadTimeout: { parse: timeout, takes: "<time>", default: "1m", help: "how long a slow read may take, waiting included, in s, m or h; then it gets a 503" },
  maxStreams: { parse: wholeNumber, takes: "<n>", default: "1024", help: "how many streams of events may be open, up to half of them those of one team; further ones get a 503" },
  webhookAllow: { parse: networks, takes: "<networks>", default: "none", help: "the networks besides the public internet to which webhooks may lead, over http, too: addresses, networks such as 10.0.0.0/8, loopback, linklocal, uniquelocal, separated by commas" },
  maxTokens: { parse: wholeNumber, takes: "<n>", default: "1000", help: "how many tokens a team may have; the API answers 422 beyond that, commands have no such limit" },
  maxHives: { parse: wholeNumber, takes: "<n>", default: "1000", help: "how many Hives a team may have, in the same way" },
  maxTrash: { parse: wholeNumber, takes: "<n>", default: "1000", help: "how many deleted Hives a team may keep in the trash, in the same way" },
  maxTags: { parse: wholeNumber, takes: "<n>", default: "5000", help: "how many tags a Hive may have" },
  maxBranches: { parse: wholeNumber, takes: "<n>", default: "1000", help: "how many branches besides main a Hive may have, and how many deleted ones are kept" },
  maxChannels: { parse: wholeNumber, takes: "<n>", default: "20", help: "how many channels a Hive may have; the API answers 422 beyond that, commands have no such limit" },
  channelMaxAge: { parse: timeout, takes: "<time>", default: "2s", help: "how long shared caches may answer for a channel before they ask again, in s, m or h; browsers half of it" },
  packAfter: { parse: wholeNumber, takes: "<objects>", default: "4000", help: "about how many loose objects a Hive may have before git packs it in the background; 0 turns that off" },
  trustProxy: { parse: networks, takes: "<addresses>", default: "none", help: "the proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted: addresses, networks such as 10.0.0.0/8, loopback, linklocal, uniquelocal, separated by commas" },
  publicUrl: { parse: serverUrl, takes: "<url>", default: "off", help: "the address of this server as people open it, such as https://skep.example.org; invitations, passkeys and device codes need it" },
  signIn: { parse: choices("token", "invite", "oidc"), takes: "<ways>", default: "token,invite", help: "how people sign in to the console, separated by commas: token, with a token; invite, with what they chose when they were invited, a passkey or a password; oidc, at an identity provider by OpenID Connect" },
  inviteWith: { parse: choices("passkey", "password"), takes: "<what>", default: "passkey,password", help: "what somebody who is invited may choose to sign in with, separated by commas: passkey, password" },
  oidcIssuer: { parse: issuerUrl, takes: "<url>", default: "none", help: "the identity provider, exactly as it names itself, such as https://login.example.org/realms/main" },
  oidcClientId: { parse: optionalText, takes: "<id>", default: "none", help: "what the provider calls this server" },
  oidcClientSecretFile: { parse: optionalFile, takes: "<file>", default: "none", help: "a file that holds the client secret that the provider gave; a client without a secret needs none" },
  oidcName: { parse: filledText, takes: "<name>", default: "single sign-on", help: "what people call the provider: Sign in with <name>" },
  oidcScopes: { parse: scopes, takes: "<scopes>", default: "openid profile email", help: "the scopes that are asked for, separated by blanks; some providers need one for groups" },
  oidcGroups: { parse: filledText, takes: "<claim>", default: "groups", help: "the claim that holds the groups of a person, with dots between the names of members, such as realm_access.roles" },
  oidcRules: { parse: optionalFile, takes: "<file>", default: "none", help: "a YAML file that says what the groups may do" },
  corsOrigin: { parse: corsOrigins, takes: "<origins>", default: "none", help: "the origins whose pages may use the API in a browser, such as https://app.example.org, separated by commas; or * for all" },
  follow: { parse: serverUrl, takes: "<url>", default: "off", help: "the address of another Skep server, the primary: this one copies its storage into its own and answers reads from that" },
  followToken: { parse: followerSecret, takes: "<secret>", default: "none", help: "the secret that skep follower add printed on the primary's machine; better given as SKEP_FOLLOW_TOKEN or in a file, because other users of the machine can see flags" },
  followTokenFile: { parse: optionalFile, takes: "<file>", default: "none", help: "a file that holds that secret" },
  maxLag: { parse: optionalTimeout, takes: "<time>", default: "30s", help: "how old an answer of a follower may be, in s, m or h; beyond that it answers 503; none for any age" },
  writesTo: { parse: serverUrl, takes: "<url>", default: "off", shown: "the address of --follow", help: "where a follower sends clients that want to change something" },
  forwardWrites: { parse: choice("on", "off"), takes: "[on]", default: "off", isSwitch: true, help: "whether a follower sends such requests on by itself, and answers when it has the result: on or off" },
  fence: { parse: serverUrl, takes: "<url>", default: "off", help: "the address of the server that this one took over from: with the secret that this one followed it with, made by skep follower add --takes-over, it is told to refuse all changes; not with --workers" },
  console: { parse: choice("on", "off"), takes: "[on]", default: "on", isSwitch: true, help: "whether there are pages for people at /: on or off" },
  logLevel: { parse: choice(...logLevels), takes: "<level>", default: "info", help: "what is logged: debug, which includes successful reads, info, warn, error or silent" },
  logFormat: { parse: choice(...logFormats), takes: "<format>", default: "auto", help: "json, one object a line; pretty, for people; or auto: pretty on a terminal, else json" },
  metricsPort: { parse: optionalPort, takes: "<port>", default: "off", help: "the port that serves /metrics to Prometheus; 0 takes a free one" },
  metricsHost: { parse: host, takes: "<host>", default: "127.0.0.1", help: "the address of that port; reading metrics needs no token" },
} satisfies Readonly<Record<string, Row>>;

type SettingName = keyof typeof table;

/** What `skep serve` needs to know. Times are in milliseconds, sizes in bytes. */
export type ServeConfig = { readonly [Name in SettingName]: ReturnType<(typeof table)[Name]["parse"]> };

export interface Setting extends Row {
  /** As commander and {@link ServeConfig} have it. */
  readonly name: string;
  readonly flag: string;
  readonly variable: string;
  /** Its name in the file. */
  readonly key: string;
}

/** All settings, in the order of the help. */
export const settings: readonly Setting[] = Object.entries<Row>(table).map(([name, row]) => {
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  return Object.assign({}, row, {
    name,
    flag: `--${words.join("-")}`,
    variable: `SKEP_${words.join("_").toUpperCase()}`,
    key: words.join("_"),
  });
});

/** What is wrong with the text of a setting, in words that follow its name; undefined when nothing is. */
export function problemOf({ parse }: Pick<Setting, "parse">, text: string): string | undefined {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
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

/** The variable that names the file of settings. */
export const fileVariable = "SKEP_CONFIG";

/** The variables of the commands for an app's repository. */
const clientVariables = ["SKEP_SERVER", "SKEP_HIVE", "SKEP_TOKEN"];

/** The variables that begin with `SKEP_` and belong to no setting. */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const known = new Set([fileVariable, ...clientVariables, ...settings.map(({ variable }) => variable)]);
  return Object.keys(environment)
    .filter((name) => name.startsWith("SKEP_") && !known.has(name))
    .toSorted();
}
