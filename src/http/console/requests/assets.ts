/**
 * The console's style sheet, scripts and icon. Their addresses contain a hash of their content, so that browsers cache
 * them for ever.
 */
import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { failure } from "../../../domain/errors.ts";
import { respondStatic } from "../../responses/respond.ts";
import type { ResponseCache } from "../../responses/response-cache.ts";

/** The files with their types and sources. */
const assets = {
  style: {
    file: "console.css",
    type: "text/css; charset=utf-8",
    parts: ["colours.css", "console.css", "translate.css"],
  },
  script: {
    file: "console.js",
    type: "text/javascript; charset=utf-8",
    parts: ["pages.js", "drafts.js", "lists.js", "findings.js", "translate.js", "editing.js", "console.js"],
  },
  /** The build makes it from `src/domain/checks`. Pages load it when the user edits a translation. */
  checks: { file: "checks.js", type: "text/javascript; charset=utf-8", parts: ["checks.bundle.js"] },
  /** The build makes it from `passkeys.js` and a library. */
  passkeys: { file: "passkeys.js", type: "text/javascript; charset=utf-8", parts: ["passkeys.bundle.js"] },
  icon: { file: "icon.svg", type: "image/svg+xml", parts: ["icon.svg"] },
} as const;

type AssetName = keyof typeof assets;

/** Those that the build makes. */
type BuiltName = "checks" | "passkeys";
type AssetNames = Readonly<Record<Exclude<AssetName, BuiltName>, string>> & {
  readonly [Name in BuiltName]?: string;
};

interface Asset {
  readonly type: string;
  readonly content: Uint8Array;
}

/** The folder of the addresses, as the first segment of their path. */
export const assetFolder = "assets";

export class Assets {
  /** The names of the files in their addresses. */
  readonly names: AssetNames;
  readonly #files: ReadonlyMap<string, Asset>;

  private constructor(names: AssetNames, files: ReadonlyMap<string, Asset>) {
    this.names = names;
    this.#files = files;
  }

  /** Reads the files, which are beside the code in `src` and in `dist`. */
  static async read(): Promise<Assets> {
    const files = new Map<string, Asset>();
    const add = async (name: AssetName): Promise<string> => {
      const { file, type, parts } = assets[name];
      const reading = parts.map((part) => readFile(new URL(`../assets/${part}`, import.meta.url), "utf8"));
      const content = Buffer.from(withoutModules((await Promise.all(reading)).join("\n")));
      const address = file.replace(".", `-${hash("sha256", content, "hex").slice(0, 12)}.`);
      files.set(address, { type, content });
      return address;
    };
    const [style, script, icon] = await Promise.all([add("style"), add("script"), add("icon")]);
    // A server that runs from the sources has no bundles.
    const checks = await add("checks").catch(() => undefined);
    const passkeys = await add("passkeys").catch(() => undefined);
    return new Assets({ style, script, icon, checks, passkeys }, files);
  }

  /** Responds with a file. @throws SkepError `not-found` for an unknown name. */
  respond(request: Request, name: string, responses: ResponseCache): Promise<Response> {
    const file = this.#files.get(name);
    if (file === undefined) throw failure("not-found", "There is nothing at this address.");
    return respondStatic(request, responses, {
      name: `${assetFolder}/${name}`,
      type: file.type,
      isImmutable: true,
      make: async () => file.content,
    });
  }
}

/** Removes imports and exports from modules that are sent as one script. */
function withoutModules(script: string): string {
  return script
    .replaceAll(/^import [^;]*;$/gm, "")
    .replaceAll(/^export (?=(?:async )?function |const )/gm, "");
}
