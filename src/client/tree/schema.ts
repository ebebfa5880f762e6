/** The schema of `skep.yaml`: it checks the file, and the JSON Schema for editors is made from it. */
import { messageOf } from "../../domain/errors.ts";
import { z } from "zod";
import { syntaxNames } from "../../domain/checks/syntax-names.ts";
import { slugPattern } from "../../domain/names.ts";
import { recordSchema } from "../../domain/record-schema.ts";
import { formatNames } from "../../domain/files/file-formats.ts";
import { formatOfPath } from "../../formats/formats.ts";
import { hasLocale, parsePattern, wildcardsOf } from "./pattern.ts";

const text = z.string("must be text");

function isServerUrl(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, search, hash, username, password } = new URL(given);
  return ["http:", "https:"].includes(protocol) && search + hash + username + password === "";
}

/** The URL of a server, without slashes at its end. */
export const serverUrl = text
  .refine(isServerUrl, "must be the URL of a server, such as https://skep.example.org, and no more")
  .transform((url) => url.trim().replace(/\/+$/, ""))
  .meta({ description: "The URL of the Skep server.", examples: ["https://skep.example.org"] });

export const hiveSlug = text
  .regex(slugPattern, "must be the slug of a Hive: lower-case letters, digits and hyphens")
  .meta({ description: "The Hive that the files belong to.", examples: ["web"] });

/** The name of a branch. The server checks it further. */
export const branchName = text.regex(/^[^\p{Cc}\s]{1,255}$/u, "must be the name of a branch");

/** A code is a part of file names. */
const fileCode = text
  .regex(/^[^\p{Cc}\\/:*?"<>|]+$/u, "must be a code as file names have it")
  .refine((code) => code !== "." && code !== "..", "must be a code as file names have it");

function patternProblem(given: unknown): string | undefined {
  try {
    parsePattern(String(given));
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const pattern = text.refine((given) => patternProblem(given) === undefined, {
  abort: true,
  error: ({ input }) => patternProblem(input),
});

const localizedPattern = pattern
  .refine(
    (given) => hasLocale(parsePattern(given)) || formatOfPath(given)?.isMultilingual === true,
    "must have {locale} in it",
  )
  .meta({
    description:
      "The path of the files: {locale} stands for a locale's code, * for a part of a name, ** for any folders. An .xcstrings or .csv file holds all locales, so that its path has no {locale}.",
    examples: ["lang/{locale}/**/*.php"],
    pattern: String.raw`\{locale\}|\.(?:xcstrings|csv|tsv)$`,
  });

const excludedPattern = pattern
  .refine((given) => !hasLocale(parsePattern(given)), "must not have {locale} in it; * stands for any code")
  .meta({
    description: "Files that are passed over: * stands for a part of a name, ** for any folders.",
    examples: ["extra/**/*.yml"],
  });

function haveSameWildcards(a: string, b: string | undefined): boolean {
  if (b === undefined) return true;
  return wildcardsOf(parsePattern(a)).join(" ") === wildcardsOf(parsePattern(b)).join(" ");
}

const sameWildcards = "must have the wildcards of path, in the same order";

export const fileEntry = z
  .strictObject(
    {
      path: localizedPattern,
      format: z
        .enum(formatNames, `must be one of ${formatNames.join(", ")}`)
        .optional()
        .meta({ description: "The format of the files, where their ending does not say it." }),
      source: pattern.optional().meta({
        description: "The path of the source files, where it is another than path has for the source locale.",
        examples: ["res/values/strings.xml"],
      }),
      name: pattern.optional().meta({
        description: "The name of the files in the Hive, with the wildcards of path.",
        examples: ["admin/**/*.php"],
      }),
      locales: recordSchema(
        z.string(),
        fileCode,
        "must have codes of the Hive, each with the code in file names",
      )
        .optional()
        .meta({ description: "Codes of the Hive, each with the code that these files have for it." }),
      notes: text
        .min(1, "must not be empty")
        .optional()
        .meta({
          description: "The ending of keys that describe other texts, and are not sent as texts.",
          examples: ["__description"],
        }),
    },
    "must be a path, or an object with path",
  )
  .refine(({ path, source }) => haveSameWildcards(path, source), { path: ["source"], error: sameWildcards })
  .refine(({ path, name }) => haveSameWildcards(path, name), { path: ["name"], error: sameWildcards });

export const clientSettings = z.strictObject(
  {
    server: serverUrl.optional(),
    hive: hiveSlug.optional(),
    branch: branchName.optional().meta({
      description: "The branch of the Hive; with auto, the app's own branch. The default is main.",
      examples: ["auto"],
    }),
    default_branch: branchName.optional().meta({
      description: "The app's default branch, for which main of the Hive stands.",
      examples: ["develop"],
    }),
    source: text
      .min(1, "must not be empty")
      .optional()
      .meta({
        description: "The source locale of the Hive: another one is an error.",
        examples: ["en"],
      }),
    files: z
      .array(z.union([localizedPattern, fileEntry]), "must be a list of paths")
      .min(1, "must have a path")
      .meta({ description: "The files of the app." }),
    checks: z
      .strictObject({
        syntax: z
          .array(
            z.strictObject({ files: text.min(1, "must not be empty"), syntax: z.enum(syntaxNames) }),
            "must be a list of rules",
          )
          .meta({
            description:
              "The syntax of messages in files, by their names in the Hive, as patterns. The last rule that matches counts; without one, the ending or the texts of a file decide.",
          }),
      })
      .optional()
      .meta({ description: "How skep check compares texts." }),
    exclude: z
      .array(excludedPattern, "must be a list of paths")
      .optional()
      .meta({ description: "Files that the patterns find, but that are neither read nor written." }),
  },
  "must hold names and values, such as hive: web",
);
export type FileEntry = z.output<typeof fileEntry>;

/** The JSON Schema of `skep.yaml`, for editors. */
export function settingsJsonSchema(): object {
  return {
    title: "skep.yaml, the settings of an app's repository for Skep",
    ...z.toJSONSchema(clientSettings, { io: "input", target: "draft-7" }),
  };
}
