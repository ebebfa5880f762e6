/**
 * The settings of `skep serve`: one table, from which the flags, the variables, the file `skep.yaml` and the help come.
 * The name `bodyLimit` is the flag `--body-limit`, the variable `SKEP_BODY_LIMIT` and `body_limit` in the file.
 */
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import { InvalidArgumentError } from "commander";
import { z } from "zod";
import {
  byteCount,
  choice,
  corsOrigins,
  duration,
  folder,
  host,
  optionalPort,
  port,
  positiveNumber,
  timeout,
  trustedProxies,
  wholeNumber,
  type Kind,
} from "./kinds.ts";

/** What else there is to say of a setting. */
interface Row {
  /** What its flag takes, as the help shows it. */
  readonly takes: string;
  readonly default: string;
  /** The default as the help shows it, where that says more. */
  readonly shown?: string;
  readonly help: string;
}

/** The memory of the machine, or of the container we are in. */
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** A quarter of the machine or container, and of what node can use of it. */
const quarter = Math.floor(Math.min(availableMemory(), 2 * getHeapStatistics().heap_size_limit) / 4);

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
const logFormats = ["auto", "json", "pretty"] as const;

const rows = z.registry<Row>();

// One line a setting.
// oxfmt-ignore
const table = z.object({
  storage: folder().register(rows, { takes: "<dir>", default: "./storage", help: "the folder that holds everything" }),
  otherUser: choice(["refuse", "allow"]).register(rows, { takes: "<answer>", default: "refuse", help: "whether to work on a storage that belongs to another user, who could not change what is written then: refuse or allow" }),
  host: host().register(rows, { takes: "<host>", default: "127.0.0.1", help: "the address to listen on" }),
  port: port().register(rows, { takes: "<port>", default: "4488", help: "the port to listen on; 0 takes a free one" }),
  bodyLimit: byteCount().register(rows, { takes: "<bytes>", default: "16MiB", help: "the largest request body" }),
  bodyValues: wholeNumber().register(rows, { takes: "<n>", default: "200000", help: "how many values, keys and groups a request body may hold" }),
  bodyBudget: byteCount().register(rows, { takes: "<bytes>", default: "128MiB", help: "how much memory the bodies of all requests may take at once, half of it those of one team; at least twice the body limit" }),
  cacheBytes: byteCount().register(rows, { takes: "<bytes>", default: "64MiB", help: "how much memory answers that are kept may take" }),
  memoryBudget: byteCount().register(rows, { takes: "<bytes>", default: String(quarter), shown: "a quarter of the machine's", help: "how much memory the Hives' content may take, about" }),
  maxClones: wholeNumber().register(rows, { takes: "<n>", default: "16", help: "how many git clones and fetches are answered at once, shared between teams; others wait for their turn" }),
  cloneTimeout: timeout().register(rows, { takes: "<time>", default: "10m", help: "how long one of them may take, in s, m or h" }),
  maxSlowReads: positiveNumber().register(rows, { takes: "<n>", default: "8", help: "how many slow reads are answered at once, half of them those of one team: history of a locale, file or key, earlier commits, exports of all locales, dry runs; others wait" }),
  slowReadTimeout: timeout().register(rows, { takes: "<time>", default: "1m", help: "how long one of them may take with its waiting, in s, m or h; then it gets a 503" }),
  maxTokens: wholeNumber().register(rows, { takes: "<n>", default: "1000", help: "how many tokens a team may have; callers who want more get a 422, commands do not" }),
  maxHives: wholeNumber().register(rows, { takes: "<n>", default: "1000", help: "the same of Hives" }),
  maxTrash: wholeNumber().register(rows, { takes: "<n>", default: "1000", help: "the same of deleted Hives that can be restored" }),
  maxTags: wholeNumber().register(rows, { takes: "<n>", default: "5000", help: "how many tags a Hive may have" }),
  packAfter: wholeNumber().register(rows, { takes: "<objects>", default: "4000", help: "about how many loose objects a Hive may have before git packs it in the background; 0 never does" }),
  trustProxy: trustedProxies().register(rows, { takes: "<addresses>", default: "none", help: "the proxies in front, whose X-Forwarded-For is believed: addresses, networks such as 10.0.0.0/8, loopback, linklocal, uniquelocal, with commas" }),
  corsOrigin: corsOrigins().register(rows, { takes: "<origins>", default: "none", help: "the origins whose pages may use the API in a browser, such as https://app.example.org, with commas; or * for all" }),
  logLevel: choice(logLevels).register(rows, { takes: "<level>", default: "info", help: "what is logged: debug, which has successful reads too, info, warn, error or silent" }),
  logFormat: choice(logFormats).register(rows, { takes: "<format>", default: "auto", help: "json, a line an object; pretty, for people; or auto: pretty on a terminal, else json" }),
  metricsPort: optionalPort().register(rows, { takes: "<port>", default: "off", help: "the port that gives /metrics to Prometheus; 0 takes a free one" }),
  metricsHost: host().register(rows, { takes: "<host>", default: "127.0.0.1", help: "the address that port is on; whoever reaches it needs no token" }),
});

/** What `skep serve` needs to know. Times are in milliseconds, sizes in bytes. */
export type ServeConfig = Readonly<z.infer<typeof table>>;

export interface Setting extends Row {
  /** As commander and {@link ServeConfig} have it. */
  readonly name: string;
  readonly flag: string;
  readonly variable: string;
  /** Its name in the file. */
  readonly key: string;
  readonly kind: Kind<unknown>;
}

/** All settings, in the order of the help. */
export const settings: readonly Setting[] = Object.entries(table.shape).map(([name, kind]) => {
  const row = rows.get(kind);
  if (row === undefined) throw new Error(`the setting ${name} has no row`);
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  return Object.assign({}, row, {
    name,
    kind,
    flag: `--${words.join("-")}`,
    variable: `SKEP_${words.join("_").toUpperCase()}`,
    key: words.join("_"),
  });
});

/** What is wrong with a setting, in words that go on from its name; undefined when nothing is. */
export function problemOf({ kind }: Setting, text: string): string | undefined {
  return firstMessage(kind.safeParse(text).error);
}

/**
 * The configuration that texts stand for.
 * @param texts by the names of settings; one that is missing has its default.
 * @throws InvalidSetting for the first that is wrong.
 */
export function toConfig(texts: Readonly<Record<string, string | undefined>>): ServeConfig {
  const all = Object.fromEntries(
    settings.map((setting) => [setting.name, texts[setting.name] ?? setting.default]),
  );
  const { data, error } = table.safeParse(all);
  if (data !== undefined) return Object.freeze(data);
  throw new InvalidSetting(String(error.issues[0]?.path[0]), firstMessage(error) ?? "is wrong");
}

/** A setting that is not what it must be. */
export class InvalidSetting extends Error {
  /** Of the setting. */
  readonly setting: string;

  constructor(setting: string, problem: string) {
    super(problem);
    this.setting = setting;
  }
}

export const defaults: ServeConfig = toConfig({});

/** The variable that names the file of settings. */
export const fileVariable = "SKEP_CONFIG";

/** The variables that begin with `SKEP_` and mean nothing. */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const known = new Set([fileVariable, ...settings.map(({ variable }) => variable)]);
  return Object.keys(environment)
    .filter((name) => name.startsWith("SKEP_") && !known.has(name))
    .toSorted();
}

function firstMessage(error: z.ZodError | undefined): string | undefined {
  return error?.issues[0]?.message;
}

/** Parses a whole number that is not negative. */
export const toWholeNumber = argumentOf(wholeNumber());

/** Parses a span of time such as `90d` into milliseconds. */
export const toDuration = argumentOf(duration());

/** A kind as commander takes it for an argument. */
function argumentOf<T>(kind: Kind<T>): (text: string) => T {
  return (text) => {
    const { data, error } = kind.safeParse(text);
    if (error === undefined) return data;
    throw new InvalidArgumentError(`It ${firstMessage(error) ?? "is wrong"}.`);
  };
}
