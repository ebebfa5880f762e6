/**
 * The console's style sheet, scripts and icon. Their addresses contain a hash of their content, so that browsers cache
 * them for ever.
 */
import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { failure } from "../../../domain/errors.ts";
import { respondStatic } from "../../responses/respond.ts";
import type { ResponseCache } from "../../responses/response-cache.ts";
import { textsIn } from "../texts/texts.ts";

const assets = {
  style: {
    file: "console.css",
    type: "text/css; charset=utf-8",
    parts: ["colours.css", "console.css", "translate.css"],
  },
  script: {
    file: "console.js",
    type: "text/javascript; charset=utf-8",
    parts: [
      "texts.js",
      "pages.js",
      "drafts.js",
      "lists.js",
      "findings.js",
      "translate.js",
      "editing.js",
      "console.js",
    ],
  },
  /** The build makes it from `src/domain/checks`. Pages load it when the user edits a translation. */
  checks: { file: "checks.js", type: "text/javascript; charset=utf-8", parts: ["checks.bundle.js"] },
  /** The build makes it from `passkeys.js` and a library. */
  passkeys: { file: "passkeys.js", type: "text/javascript; charset=utf-8", parts: ["passkeys.bundle.js"] },
  icon: { file: "icon.svg", type: "image/svg+xml", parts: ["icon.svg"] },
} as const;

/** The folder of the addresses, as the first segment of their path. */
export const assetFolder = "assets";

export interface Assets {
  /** The names of the files in their addresses. A server that runs from the sources has no files of the build. */
  readonly names: Readonly<Record<"style" | "script" | "icon", string>> & {
    readonly checks?: string;
    readonly passkeys?: string;
  };
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
  return new URL(`../assets/${part}`, import.meta.url);
}

async function readFiles(): Promise<Assets> {
  const files = new Map<string, { readonly type: string; readonly content: Uint8Array }>();
  const add = async (name: keyof typeof assets): Promise<string> => {
    const { file, type, parts } = assets[name];
    const reading = parts.map((part) => readFile(locationOf(part), "utf8"));
    const source = withoutModules((await Promise.all(reading)).join("\n"));
    const content = Buffer.from(name === "script" ? withTexts(source) : source);
    const address = file.replace(".", `-${hash("sha256", content, "hex").slice(0, 12)}.`);
    files.set(address, { type, content });
    return address;
  };
  const [style, script, icon] = await Promise.all([add("style"), add("script"), add("icon")]);
  const addBuilt = async (name: "checks" | "passkeys"): Promise<string | undefined> =>
    assets[name].parts.every((part) => existsSync(locationOf(part))) ? add(name) : undefined;
  const [checks, passkeys] = [await addBuilt("checks"), await addBuilt("passkeys")];
  return {
    names: { style, script, icon, checks, passkeys },
    respond(request, name, responses) {
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

/** Fills in the texts that scripts show. */
function withTexts(script: string): string {
  const texts = JSON.stringify(Object.fromEntries(textsIn("script")));
  return script.replace("const texts = {};", () => `const texts = ${texts};`);
}

/** Removes imports and exports from modules that are sent as one script. */
function withoutModules(script: string): string {
  return script
    .replaceAll(/^import [^;]*;$/gm, "")
    .replaceAll(/^export (?=(?:async )?function |const )/gm, "");
}
