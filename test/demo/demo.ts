/**
 * Skep's main job on real files: a server, a team, a Hive and a token from nothing, real source strings and
 * translations in, both formats out, and the history in a clone.
 *
 * `npm run demo` ends clean; `npm run demo -- --keep` leaves the server up to play with.
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { readPhpArray } from "../helpers/php.ts";

const keep = process.argv.includes("--keep");
const bin = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const laravel = fileURLToPath(new URL("../fixtures/laravel/lang", import.meta.url));
const countries = dirname(fileURLToPath(import.meta.resolve("i18n-iso-countries/langs/en.json")));
const folder = mkdtempSync(join(tmpdir(), "skep-demo-"));
const storage = join(folder, "storage");

/** A dozen languages, one of them known to the app by a code of its own. */
const languages = ["ar", "cs", "de", "es", "fr", "he", "ja", "ko", "pl", "pt", "ru", "uk"];
const custom: Readonly<Record<string, string>> = { pt: "pt_PT" };

function say(line = ""): void {
  process.stdout.write(`${line}\n`);
}

/** Does one step and says how long it took. */
async function step<T>(title: string, work: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  say(`\n▸ ${title} (${Math.round(performance.now() - start)} ms)`);
  return result;
}

function skep(...args: readonly string[]): string {
  return execFileSync(process.execPath, [bin, ...args, "--storage", storage], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trimEnd();
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trimEnd();
}

async function startServer(): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [bin, "serve", "--port", "0", "--storage", storage], {
    // No proxy must notice that it stops.
    env: { ...process.env, SKEP_DRAIN_DELAY: "0" },
    stdio: ["ignore", "ignore", "pipe"],
    // Left up, the server must not end with this script's terminal.
    detached: keep,
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      const [, found] = /listens on ([^\s"]+)/.exec(chunk.toString()) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { child, url };
}

type Files = Record<string, unknown>;

/** A locale of a Laravel `lang` folder, as a client reads it: PHP arrays become objects and lists. */
function readLaravel(locale: string): Files {
  const files: Files = {
    [`${locale}.json`]: JSON.parse(readFileSync(join(laravel, `${locale}.json`), "utf8")),
  };
  const root = join(laravel, locale);
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files[relative(root, path)] = readPhpArray(readFileSync(path, "utf8"));
  }
  return files;
}

/** The official country names in one language; some countries have a list of names, the official one first. */
function readCountries(language: string): Files {
  const { countries: names } = JSON.parse(readFileSync(join(countries, `${language}.json`), "utf8"));
  const official = Object.entries<string | string[]>(names).map(([code, name]) => [code, [name].flat()[0]]);
  return { "countries.json": Object.fromEntries(official) };
}

/** The first lines of a text. */
function cut(text: string, lines: number): string {
  const all = text.trimEnd().split("\n");
  const more = all.length - lines;
  return [...all.slice(0, lines), ...(more > 0 ? [`… ${more} more lines`] : [])]
    .map((line) => `    ${line}`)
    .join("\n");
}

async function main(): Promise<void> {
  say("Skep demo: a store for translation strings whose database is git.");

  await step("Made a team and a Hive with 12 target locales by the command line", () => {
    const locales = languages.map((code) => (custom[code] === undefined ? code : `${code}=${custom[code]}`));
    skep("team", "create", "acme", "--max-strings", "1000");
    skep("hive", "create", "atlas", "--team", "acme", ...locales.flatMap((code) => ["--locale", code]));
  });
  say(cut(skep("hive", "list"), 3));
  const token = await step("Made a token that can read and write", () =>
    skep("token", "create", "--team", "acme", "--name", "demo", "--ability", "read", "--ability", "write"),
  );
  const { child, url } = await step("Started the server on a free port", startServer);

  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape are only shown
  async function call(method: string, path: string, body?: unknown): Promise<any> {
    const response = await fetch(`${url}/api/hives/atlas/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "x-commit-ref": "https://ci.example.org/builds/1",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`);
    return json;
  }

  try {
    const source = { ...readLaravel("en"), ...readCountries("en") };
    const imported = await step(`Imported the source strings: ${Object.keys(source).join(", ")}`, () =>
      call("POST", "strings", { files: source }),
    );
    say(`    ${JSON.stringify(imported)}`);

    const counts = await step("Imported translations into 12 languages, one commit each", async () => {
      const answers: string[] = [];
      for (const language of languages) {
        const code = custom[language] ?? language;
        const files = { ...readCountries(language), ...(language === "fr" ? readLaravel("fr") : {}) };
        answers.push(
          `${code.padEnd(6)} ${JSON.stringify(await call("POST", `translations/${code}`, { files }))}`,
        );
      }
      return answers;
    });
    say(cut(counts.join("\n"), 12));

    const { throttle: _gone, ...auth } = Object(source["auth.php"]);
    const changed = { ...auth, failed: "Wrong e-mail address or password." };
    const synced = await step(
      "Synced auth.php: one text changed, its translation cleared, one string gone",
      () => call("PUT", "strings", { files: { "auth.php": changed }, conflict_strategy: "clear" }),
    );
    say(`    ${JSON.stringify(synced)}`);

    const page = await step("Listed a page of source strings", () =>
      call("GET", "strings?per_page=4&file=admin/calendar.php"),
    );
    say(cut(JSON.stringify(page, null, 2), 14));

    const json = await step("Exported Portuguese as JSON by its custom code", () =>
      call("GET", "export?locale=pt_PT"),
    );
    for (const [name, content] of Object.entries<string>(json.files)) say(`    ${name}\n${cut(content, 5)}`);

    const php = await step(
      "Exported French as PHP: nested as the source is, without what is not translated",
      () => call("GET", "export?locale=fr&format=php"),
    );
    for (const name of ["admin/calendar.php", "auth.php"]) say(`    ${name}\n${cut(php.files[name], 12)}`);

    const clone = join(folder, "atlas");
    await step("Cloned the Hive: its history is plain git", () =>
      git("clone", "--quiet", join(storage, "hives", "atlas.git"), clone),
    );
    say(cut(git("-C", clone, "log", "--stat", "--format=%h %an: %s"), 24));

    if (keep) {
      child.stderr?.destroy();
      child.unref();
      say(`\nThe server runs on, at ${url}, as process ${child.pid}; its storage is ${storage}.`);
      say(`\n  export TOKEN=${token}`);
      say(`  curl -H "Authorization: Bearer $TOKEN" '${url}/api/hives/atlas/strings?per_page=3'`);
      say(`  curl -H "Authorization: Bearer $TOKEN" '${url}/api/hives/atlas/export?locale=ja'`);
      say(`  curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -X POST \\
    -d '{"files":{"auth.php":{"failed":"Falsch."}}}' '${url}/api/hives/atlas/translations/de'`);
      return;
    }
    const exit = once(child, "exit");
    const code = await step("Stopped the server", async () => {
      child.kill("SIGTERM");
      return (await exit)[0];
    });
    if (code !== 0) throw new Error(`the server ended with ${code}`);
    rmSync(folder, { recursive: true, force: true });
    say("\nDone. `npm run demo -- --keep` leaves the server up to play with.");
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

await main();
