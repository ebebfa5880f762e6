/**
 * The console's style sheet, scripts and icon. Their addresses contain a hash of their content, so that browsers cache
 * them for ever.
 */
import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { failure } from "../../../domain/errors.ts";
import { respondStatic } from "../../responses/respond.ts";
import type { ResponseCache } from "../../responses/response-cache.ts";
import { pageLanguages } from "../texts/catalogues.ts";
import { forReader, isInEnglish, pageLanguageNow, textsIn } from "../texts/texts.ts";
import { ownFile } from "../../../own-files.ts";

const [css, javascript] = ["text/css; charset=utf-8", "text/javascript; charset=utf-8"];

/** The parts of the style sheet. Where two say something of the same element, the later one is right. */
const styles = [
  "colours",
  "base",
  "frame",
  "facts",
  "surfaces",
  "hives",
  "search",
  "tables",
  "strings",
  "one-string",
  "selection",
  "commits",
  "messages",
  "notices",
  "forms",
  "entry",
  "filters",
  "commands",
  "print",
  "source-text",
  "pictures",
  "translate",
];

/** The files by their names in addresses. A script is bundled with all that it imports, from the module that it begins with. */
const assets = {
  style: { file: "console.css", type: css, parts: styles.map((part) => `../styles/${part}.css`) },
  script: { file: "console.js", type: javascript, entry: "console.js" },
  /** Pages load it when the user edits a translation. */
  checks: { file: "checks.js", type: javascript, entry: "../../../domain/glossary/text-checks.ts" },
  passkeys: { file: "passkeys.js", type: javascript, entry: "passkeys.js" },
  icon: { file: "icon.svg", type: "image/svg+xml", parts: ["icon.svg"] },
} as const;

type AssetName = keyof typeof assets;

/** The folder of the addresses, as the first segment of their path. */
export const assetFolder = "assets";

export interface Assets {
  /** The names of the files in their addresses; the script is that of the page's language. */
  readonly names: () => Readonly<Record<AssetName, string>>;
  /** Responds with a file. @throws SkepError `not-found` for an unknown name. */
  readonly respond: (request: Request, name: string, responses: ResponseCache) => Promise<Response>;
}

let all: Promise<Assets> | undefined;

/** Reads the files, which are beside the code in `src` and in `dist`, once in a process. */
export function readAssets(): Promise<Assets> {
  all ??= readFiles();
  // A failure, for lack of a file descriptor for example, is not kept.
  all.catch(() => (all = undefined));
  return all;
}

function locationOf(part: string): URL {
  return ownFile(`http/console/assets/${part}`);
}

async function read(name: AssetName): Promise<string> {
  const { file, ...made } = assets[name];
  if (!("parts" in made)) return readBundle(file, made.entry);
  return (await Promise.all(made.parts.map((part) => readFile(locationOf(part), "utf8")))).join("\n");
}

async function readFiles(): Promise<Assets> {
  const files = new Map<string, { readonly type: string; readonly content: Uint8Array }>();
  const keep = (name: AssetName, text: string): string => {
    const { file, type } = assets[name];
    const content = Buffer.from(text);
    const address = file.replace(".", `-${hash("sha256", content, "hex").slice(0, 12)}.`);
    files.set(address, { type, content });
    return address;
  };
  const add = async (name: AssetName): Promise<string> => keep(name, await read(name));
  const [style, checks, passkeys, icon, code] = await Promise.all([
    add("style"),
    add("checks"),
    add("passkeys"),
    add("icon"),
    read("script"),
  ]);
  /** The addresses of the script by language, which differ in the texts that it shows. */
  const scripts = new Map<string, string>();
  const scriptNow = (): string => {
    const language = pageLanguageNow().code;
    const script = scripts.get(language) ?? keep("script", withTexts(code));
    scripts.set(language, script);
    return script;
  };
  /** A page of another process may name a script that this one has not made yet. */
  const makeScripts = async (): Promise<void> => {
    for (const { code: chosen } of pageLanguages) {
      await forReader({ chosen, accepted: null }, () => Promise.resolve(scriptNow()));
    }
  };
  return {
    names: () => ({ style, script: scriptNow(), checks, passkeys, icon }),
    async respond(request, name, responses) {
      if (!files.has(name)) await makeScripts();
      const file = files.get(name);
      if (file === undefined) throw failure("not-found", "There is nothing at this address.");
      const { type, content } = file;
      const make = async (): Promise<Uint8Array> => content;
      return respondStatic(request, responses, {
        name: `${assetFolder}/${name}`,
        type,
        isImmutable: true,
        make,
      });
    },
  };
}

/** Reads a script that the build has bundled. In the sources there is none, so it is bundled now, as the build does it. */
async function readBundle(file: string, entry: string): Promise<string> {
  const built = locationOf(file.replace(".js", ".bundle.js"));
  if (existsSync(built)) return readFile(built, "utf8");
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(locationOf(entry))],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
    logLevel: "warning",
  });
  return outputFiles.map(({ text }) => text).join("");
}

/** Gives a script the texts that it shows; see `assets/texts.js`. */
function withTexts(script: string): string {
  const checks = isInEnglish()
    ? []
    : textsIn("check").map(([name, text]) => [`check.${name}`, text] as const);
  const texts = JSON.stringify(Object.fromEntries([...textsIn("script"), ...checks]));
  return `globalThis.skepTexts=${texts};${script}`;
}
