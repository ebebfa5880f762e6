/** Engines: machines that translate, which a team names and pays. */
import { z } from "zod";
import { invalid } from "../errors.ts";
import type { Locale } from "../hives/locale.ts";
import { positive, textThat, time } from "../hives/stored-fields.ts";
import type { Decoded } from "../json-codec.ts";
import type { Branded } from "../names.ts";
import { httpUrlProblem } from "../hives/http-url.ts";
import { textProblem } from "../text.ts";

export type EngineName = Branded<string, "EngineName">;

/** The protocols that engines speak. */
export const engineTypes = ["openai", "deepl", "libretranslate", "apertium"] as const;
export type EngineType = (typeof engineTypes)[number];

export const formalities = ["more", "less"] as const;

/** When suggestions of an engine are made: when somebody asks, or beside each text. */
export const suggestModes = ["ask", "auto"] as const;

export const storedEngine = z.strictObject({
  /** Unique in its team. */
  name: textThat(isEngineName),
  type: z.enum(engineTypes),
  /** Where it answers; the type's own address if undefined. */
  url: z
    .string()
    .refine((text) => engineUrlProblem(text) === undefined)
    .optional(),
  /** Of `openai`. */
  model: z.string().optional(),
  /** The key, or where it is: `env:NAME` or `file:PATH` on the server's machine, which only a command can set. */
  key: z
    .string()
    .refine((text) => keyProblem(text) === undefined)
    .optional(),
  /** The codes of the locales that it translates into; all if undefined. */
  locales: z.array(z.string()).readonly().optional(),
  /** How many characters of source texts it is sent a day (UTC); unlimited if undefined. */
  maxCharactersPerDay: positive.optional(),
  /** What the model is told beside the style of the locale. */
  instructions: z.string().optional(),
  /** By the code of a locale. */
  formality: z.record(z.string(), z.enum(formalities)).optional(),
  suggest: z.enum(suggestModes),
  added: time,
});
export type Engine = Decoded<z.output<typeof storedEngine>>;

/** What is fixed of each type. */
export interface EngineTypeFacts {
  /** Where it answers if the engine does not say; undefined where the engine has to. */
  readonly url?: string;
  readonly needsModel: boolean;
  readonly needsKey: boolean;
  /** Whether it understands notes, terms and a style, and translates plural forms that the source lacks. */
  readonly takesInstructions: boolean;
}

export const engineFacts: Readonly<Record<EngineType, EngineTypeFacts>> = {
  openai: {
    url: "https://api.openai.com/v1",
    needsModel: true,
    needsKey: false,
    takesInstructions: true,
  },
  deepl: { url: "https://api.deepl.com", needsModel: false, needsKey: true, takesInstructions: false },
  libretranslate: { needsModel: false, needsKey: false, takesInstructions: false },
  apertium: { needsModel: false, needsKey: false, takesInstructions: false },
};

export const engineLimits = {
  /** Engines of a team. */
  engines: 20,
  name: 40,
  model: 200,
  key: 4_096,
  instructions: 4_000,
  locales: 200,
  /** What `max_characters_per_day` is if it is not given. */
  usualCharacters: 200_000,
  maxCharacters: 1_000_000_000,
} as const;

/** The rule for the names of engines. */
export const engineNamePattern = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

export function isEngineName(text: string): text is EngineName {
  return engineNamePattern.test(text);
}

/** @throws SkepError `invalid` on `name`. */
export function toEngineName(text: string): EngineName {
  if (isEngineName(text)) return text;
  throw invalid(
    "name",
    `must be of a to z, 0 to 9 and hyphens between them, at most ${engineLimits.name} of them`,
  );
}

/** @returns why a text is no address of an engine; undefined if it is one. */
export function engineUrlProblem(text: string): string | undefined {
  return httpUrlProblem(text) ?? (text.includes("?") ? "must have no query" : undefined);
}

/** Whether a key says where it is, on the server's machine. */
export function isKeyReference(key: string): boolean {
  return /^(?:env|file):/.test(key);
}

/** @returns why a text is no key, or no place of one; undefined if it is. */
export function keyProblem(key: string): string | undefined {
  if (key === "") return "must not be empty";
  if (key.length > engineLimits.key) return `must be at most ${engineLimits.key} characters`;
  // It is sent in a header.
  return textProblem(key) ?? (/^[\u0020-\u007e]+$/.test(key) ? undefined : "must be of ASCII characters");
}

/** Whether an engine translates into a locale. */
export function serves({ locales }: Pick<Engine, "locales">, { code, customCode }: Locale): boolean {
  if (locales === undefined) return true;
  return locales.includes(code) || (customCode !== undefined && locales.includes(customCode));
}

/** What is wrong with an engine as a whole, by the member that is to change; undefined if nothing is. */
export function engineProblem(
  engine: Omit<Engine, "added">,
): readonly [member: string, problem: string] | undefined {
  const { needsModel, takesInstructions, url } = engineFacts[engine.type];
  if (engine.url === undefined && url === undefined)
    return ["url", `must be given for the type ${engine.type}`];
  if (needsModel && engine.model === undefined) return ["model", `must be given for the type ${engine.type}`];
  if (!needsModel && engine.model !== undefined) return ["model", `is for the type openai alone`];
  if (!takesInstructions && engine.instructions !== undefined)
    return ["instructions", "are for the type openai alone"];
  if (engine.type !== "deepl" && engine.formality !== undefined)
    return ["formality", "is for the type deepl alone"];
  return undefined;
}
