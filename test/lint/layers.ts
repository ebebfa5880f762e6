/**
 * The rule table of layers and rooms: every folder of `src/`, and what it may import. `npm run lint` holds the code to
 * it. A file that lies in no folder of the table is an error, so moving a file never drops a rule.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

interface Layer {
  readonly name: string;
  /** The layers, or single folders of them, that it may import besides itself. */
  readonly imports: readonly string[];
  /**
   * Its folders from the highest to the lowest: each may import those after it. `""` is the layer's own folder, `a/b`
   * a part of room `a`.
   */
  readonly rooms: readonly string[];
  /** The packages that it may import. */
  readonly packages: readonly string[];
}

/** From the highest to the lowest. Every layer but the domain may import Node's modules. */
export const layers: readonly Layer[] = [
  // What apps import. A backend in a browser has no modules beside it.
  { name: "apps", imports: ["client"], rooms: [""], packages: [] },
  {
    name: "commands",
    imports: ["observability", "config", "http", "service", "client", "api", "formats", "domain"],
    rooms: [
      "",
      "upkeep",
      "operations",
      "init",
      "code",
      "moving",
      "client",
      "clone",
      "people",
      "serve",
      "output",
      "program",
    ],
    packages: [
      "@modelcontextprotocol/server",
      "commander",
      "@commander-js/extra-typings",
      "get-east-asian-width",
      "zod",
    ],
  },
  {
    name: "observability",
    imports: ["config", "http", "service", "domain"],
    rooms: [""],
    packages: ["pino", "pino-pretty", "prom-client"],
  },
  { name: "config", imports: ["domain"], rooms: [""], packages: ["yaml"] },
  {
    name: "http",
    imports: ["service", "git/serve", "api", "domain"],
    rooms: [
      "",
      "console",
      "console/mail",
      "console/pages",
      "console/history",
      "console/people",
      "console/exchange",
      "console/figures",
      "console/source",
      "console/memory",
      "console/mirrors",
      "console/desk",
      "console/notes",
      "console/pictures",
      "console/editor",
      "console/glossary",
      "console/parts",
      "console/requests",
      "console/texts",
      "mcp",
      "oauth",
      "routes/people",
      "routes",
      "content",
      "operations",
      "events",
      "channels",
      "pipeline",
      "openapi",
      "responses",
      "requests",
      "schemas/people",
      "schemas",
    ],
    // From the sources, where nothing was built, esbuild bundles the scripts of the console.
    packages: [
      "@modelcontextprotocol/server",
      "bowser",
      "esbuild",
      "h3",
      "hono",
      "lru-cache",
      "negotiator",
      "rou3",
      "srvx",
      "yazl",
      "zod",
    ],
  },
  {
    name: "service",
    imports: ["store", "git", "disk", "formats", "domain"],
    rooms: [
      "operations",
      "engines",
      "events",
      "mail",
      "inbox",
      "people",
      "admin",
      "channels",
      "context",
      "figures",
      "source",
      "work",
      "memory",
      "review",
      "content",
      "clone",
      "",
    ],
    packages: [
      "@node-rs/argon2",
      "@simplewebauthn/server",
      "jose",
      "lru-cache",
      "nodemailer",
      "openid-client",
      "zod",
    ],
  },
  {
    name: "store",
    imports: ["git", "disk", "formats", "domain"],
    rooms: ["verify", "backup", "migration", "postgres", "hives", "history", "content", "settings", "record"],
    packages: ["lru-cache", "postgres", "yaml", "zod"],
  },
  {
    name: "git",
    imports: ["disk", "domain"],
    rooms: ["", "serve", "packs", "refs", "process", "objects"],
    packages: ["isomorphic-git", "lru-cache"],
  },
  { name: "disk", imports: ["domain"], rooms: ["locks", ""], packages: ["lru-cache", "proper-lockfile"] },
  // The client's side: it knows the server by its HTTP interface alone.
  {
    name: "client",
    imports: ["api", "formats", "domain"],
    rooms: ["moving", "code", "review", "translate", "exchange", "", "login", "repository", "tree", "api"],
    packages: ["@napi-rs/keyring", "undici", "yaml", "zod"],
  },
  // Declarations that both sides know.
  { name: "api", imports: ["domain"], rooms: ["content", "team", ""], packages: ["zod"] },
  {
    name: "formats",
    imports: ["domain"],
    rooms: [
      "moving",
      "exchange",
      "held",
      "",
      "android",
      "apple",
      "fluent",
      "xliff",
      "ini",
      "php",
      "qt",
      "gettext",
      "toml",
      "yaml",
      "patch",
      "xml",
    ],
    packages: ["@fluent/syntax", "saxes", "toml-eslint-parser", "yaml", "yauzl"],
  },
  {
    name: "domain",
    imports: [],
    rooms: [
      "pushes",
      "work",
      "engines",
      "plans",
      "inbox",
      "export",
      "export/formats",
      "notes",
      "pictures",
      "moves",
      "memory",
      "review",
      "queries",
      "strings",
      "sidecars",
      "access",
      "glossary",
      "hives",
      "commits",
      "checks",
      "files",
      "",
    ],
    packages: ["@fluent/syntax", "@formatjs/icu-messageformat-parser", "diff", "zod"],
  },
];

/** The most files that one folder of `src/` or `test/` may hold. */
const maxFiles = 22;

/**
 * The folders and files that may write files of a storage themselves. All else changes a storage through its record: the
 * folder may be the copy of a database. In `settings`, these are the version of the copy, what a refresh takes over, and
 * the entries that a backup's folder gets.
 */
const writers = [
  "disk/",
  "git/",
  "store/backup/",
  "store/migration/",
  "store/postgres/",
  "store/record/",
  "store/settings/audit-log.ts",
  "store/settings/registry.ts",
  "store/settings/settings-version.ts",
  "store/verify/probe.ts",
] as const;

/** The program's entry, which may import everything. */
const entry = "cli.ts";
/** Files that everything may import, with the packages that they may import; of Skep, they import the domain alone. */
const open = new Map<string, readonly string[]>([
  ["bounded-cache.ts", ["lru-cache"]],
  ["deadline.ts", []],
  ["log.ts", []],
  ["module-caches.ts", []],
  ["on-demand.ts", []],
  ["own-files.ts", []],
  ["slices.ts", []],
  ["ticks.ts", []],
]);

interface Place {
  readonly layer: Layer;
  readonly room: number;
}

function placeOf(file: string): Place | undefined {
  const [name = "", ...rest] = posix.dirname(file).split("/");
  const layer = layers.find((each) => each.name === name);
  const room = layer?.rooms.indexOf(rest.join("/")) ?? -1;
  return layer === undefined || room === -1 ? undefined : { layer, room };
}

/** What a file imports where it begins, in lines of their own. */
function firstImportsOf(code: string): readonly string[] {
  const statements = code.matchAll(/^(?:import|export)\s(?:[^"';]*?\sfrom\s)?"([^"]+)"/gm);
  return Array.from(statements, ([, name = ""]) => name);
}

/** All that a file imports, also when it is needed. */
function importsOf(code: string): readonly string[] {
  const expressions = code.matchAll(/\bimport\(\s*"([^"]+)"/g);
  return [...firstImportsOf(code), ...Array.from(expressions, ([, name = ""]) => name)];
}

function isAllowedPackage(file: string, name: string): boolean {
  const layer = placeOf(file)?.layer;
  if (name.startsWith("node:")) return layer?.name !== "domain";
  const parts = name.split("/", name.startsWith("@") ? 2 : 1);
  return (open.get(file) ?? layer?.packages)?.includes(parts.join("/")) === true;
}

/** Why a file may not import something; undefined where it may. */
function faultOf(file: string, name: string): string | undefined {
  if (!name.startsWith(".")) return isAllowedPackage(file, name) ? undefined : `must not import ${name}`;
  const target = posix.join(posix.dirname(file), name);
  if (open.has(target)) return undefined;
  const to = placeOf(target);
  if (to === undefined) return `imports ${target}, which lies in no folder of the table`;
  const from = placeOf(file);
  const reachable = from?.layer.imports ?? ["domain"];
  const isBelow =
    from?.layer === to.layer
      ? from.room <= to.room
      : reachable.includes(to.layer.name) || reachable.includes(posix.dirname(target));
  return isBelow ? undefined : `must not import ${target}`;
}

/**
 * What is wrong with the imports of one file, one line each.
 * @param file its path below `src/`.
 */
export function layerFaults(file: string, code: string): readonly string[] {
  if (file === entry) return [];
  if (!open.has(file) && placeOf(file) === undefined) return [`src/${file}: lies in no folder of the table`];
  return importsOf(code).flatMap((name) => {
    const fault = faultOf(file, name);
    return fault === undefined ? [] : [`src/${file}: ${fault}`];
  });
}

/** Where a file that may not do so writes files of a storage, one line each. @param file its path below `src/`. */
export function unrecordedWrites(file: string, code: string): readonly string[] {
  if (writers.some((name) => file.startsWith(name))) return [];
  const calls = code.matchAll(/\b(?:fs\.(?:write|removeFile|stage|copyFile)|appendLines)(?=\()/g);
  return Array.from(
    calls,
    ([call]) => `src/${file}: must change the storage through its record, not by ${call}`,
  );
}

/**
 * The files that import each other in a circle, also for types alone: none of them can be read before the others. What is
 * imported when it is needed does not count.
 * @param code of the files, by their paths below `src/`.
 */
export function importCircles(code: ReadonlyMap<string, string>): readonly string[] {
  const done = new Set<string>();
  const faults: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const from = path.indexOf(file);
    if (from !== -1) faults.push(`src/${[...path.slice(from), file].join(" imports ")}`);
    if (from !== -1 || done.has(file)) return;
    for (const name of firstImportsOf(code.get(file) ?? "")) {
      if (name.startsWith(".")) visit(posix.join(posix.dirname(file), name), [...path, file]);
    }
    done.add(file);
  };
  for (const file of code.keys()) visit(file, []);
  return faults;
}

/** The folders that hold too many files, one line each. */
export function crowdedFolders(files: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > maxFiles)
    .map(([folder, count]) => `${folder}: holds ${count} files, more than ${maxFiles}`);
}

function filesBelow(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /\.tsx?$/.test(name));
}

function lint(root: string): readonly string[] {
  const sources = filesBelow(join(root, "src"));
  const tests = filesBelow(join(root, "test"));
  const code = new Map(sources.map((file) => [file, readFileSync(join(root, "src", file), "utf8")]));
  return [
    ...Array.from(code).flatMap(([file, text]) => layerFaults(file, text)),
    ...Array.from(code).flatMap(([file, text]) => unrecordedWrites(file, text)),
    ...importCircles(code),
    ...crowdedFolders([...sources.map((file) => `src/${file}`), ...tests.map((file) => `test/${file}`)]),
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const faults = lint(join(dirname(fileURLToPath(import.meta.url)), "../.."));
  for (const fault of faults) process.stderr.write(`${fault} (see test/lint/layers.ts)\n`);
  if (faults.length > 0) process.exitCode = 1;
}
