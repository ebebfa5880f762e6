/** Engines of a team: machines that translate. */
import { z } from "zod";
import {
  engineLimits,
  engineNamePattern,
  engineTypes,
  formalities,
  suggestModes,
} from "../domain/engines/engine.ts";
import { checkNames, severities } from "../domain/checks/message.ts";
import { syntaxNames } from "../domain/checks/syntax-names.ts";
import { recordSchema } from "../domain/record-schema.ts";
import { engineUrlProblem, keyProblem } from "../domain/engines/engine.ts";
import { count, listOf, named, nullableText, text, textOf } from "./objects.ts";
import { operations } from "./operation.ts";

const time = z.iso.datetime();
const engineStates = ["ready", "down", "spent", "no_key"] as const;

/** An engine in an answer. Its key is not shown. */
export const engine = named("Engine", {
  name: z.string(),
  type: z.enum(engineTypes),
  url: nullableText.meta({ description: "`null` for the type's own address." }),
  model: nullableText,
  has_key: z.boolean(),
  locales: z.array(z.string()).nullable().meta({ description: "`null` for all." }),
  max_characters_per_day: count.nullable().meta({
    description: "How many characters of source texts it is sent a day (UTC); `null` for any number.",
  }),
  instructions: nullableText,
  formality: z.record(z.string(), z.enum(formalities)).nullable(),
  suggest: z.enum(suggestModes),
  added: time,
  state: z.enum(engineStates).meta({
    description:
      "`ready`: it is asked. `down`: it has failed, and is left alone until `retry`. `spent`: the day's characters, or its own quota, are used up. `no_key`: it needs a key.",
  }),
  error: nullableText.meta({ description: "Why the last request failed." }),
  retry: time.nullable().meta({ description: "When it is asked again." }),
  used: named("EngineUse", {
    characters: count.meta({ description: "Characters of source texts, of requests that failed, too." }),
    tokens: count.meta({ description: "As the engine counts them." }),
    requests: count,
    saved: count.meta({ description: "Texts that were stored." }),
    refused: count.meta({ description: "Texts that did not pass the checks." }),
  }).meta({ description: "What it was asked for today (UTC)." }),
});
export type EngineAnswer = z.infer<typeof engine>;

export const engineTrial = named("EngineTrial", {
  text: z.string(),
  model: nullableText.meta({ description: "As the engine names it." }),
  characters: count,
  tokens: count,
  findings: z
    .array(
      named("EngineTrialFinding", {
        check: z.enum(checkNames),
        severity: z.enum(severities),
        message: z.string(),
      }),
    )
    .meta({ description: "What checks find in the text." }),
});

const checked = (max: number, problemOf: (given: string) => string | undefined) =>
  textOf(max).superRefine((given, context) => {
    const problem = problemOf(given);
    if (problem !== undefined) context.addIssue(problem);
  });

const locale = text.max(64, "must be at most 64 characters");
const exampleUrl = "https://api.mistral.ai/v1";

const wanted = {
  url: checked(2_048, engineUrlProblem)
    .nullish()
    .meta({
      description: "Where it answers: an https URL without a query; the type's own address if not given.",
      examples: [exampleUrl],
    }),
  model: textOf(engineLimits.model)
    .min(1, "must not be empty")
    .nullish()
    .meta({ description: "The model, of the type `openai`.", examples: ["mistral-small-latest"] }),
  key: checked(engineLimits.key, keyProblem)
    .nullish()
    .meta({ description: "The key, which no answer shows." }),
  locales: listOf(locale, { max: engineLimits.locales })
    .refine((codes) => codes.length > 0, "must not be empty")
    .nullish()
    .meta({ description: "The locales that it translates into; `null` for all." }),
  max_characters_per_day: z
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(engineLimits.maxCharacters, `must be at most ${engineLimits.maxCharacters}`)
    .nullish()
    .meta({
      description: `How many characters of source texts it is sent a day (UTC); \`null\` for any number, ${engineLimits.usualCharacters} if not given.`,
    }),
  instructions: textOf(engineLimits.instructions)
    .nullish()
    .meta({ description: "What the model is told beside the style of the locale, of the type `openai`." }),
  formality: recordSchema(
    locale,
    z.enum(formalities, `must be ${formalities.join(" or ")}`),
    "must be an object",
  )
    .refine((codes) => Object.keys(codes).length <= engineLimits.locales, "has too many locales")
    .nullish()
    .meta({ description: "`more` or `less` by locale, of the type `deepl`." }),
  suggest: z
    .enum(suggestModes, `must be ${suggestModes.join(" or ")}`)
    .optional()
    .meta({ description: "`auto`: beside each text that is translated; `ask`: when somebody asks." }),
};

const type = z.enum(engineTypes, `must be one of ${engineTypes.join(", ")}`);

const members = {
  key: {
    flag: "key-from",
    help: "where the key is: env:NAME, file:PATH, or - for the standard input",
    reads: "secret",
  },
} as const;

const fields = {
  model: { placeholder: "mistral-small-latest" },
  url: { placeholder: exampleUrl },
  key: { isSecret: true },
  instructions: { isLong: true },
  suggest: { initial: "ask" },
  max_characters_per_day: { initial: String(engineLimits.usualCharacters) },
} as const;
const formMembers = [
  "url",
  "model",
  "key",
  "locales",
  "max_characters_per_day",
  "instructions",
  "suggest",
] as const;

const help = `The key is never an argument: --key-from env:NAME reads it from the environment, file:PATH from a
file, and - from the standard input. At a server, the key itself is sent; with --storage, env: and
file: are stored as they are, and the server reads the key from its own environment or file.

Addresses are https and public, unless --engine-allow of the server allows others. openai is the
protocol of chat completions, which Mistral, Azure, Ollama and vLLM speak, too.`;

export const engines = operations(
  {
    noun: "engine",
    about: "Manage engines, the machines that translate.",
    path: "/api/engines",
    key: "engine",
    names: "name",
    entity: engine,
    label: "name",
    group: "Engines",
    ability: "admin",
    allHives: true,
    columns: ["name", "type", "model", "locales", "state", "error"],
    nulls: { locales: "all", max_characters_per_day: "none" },
  },
  (op) => ({
    listEngines: op.list({
      summary: "List engines",
      description: "The engines of the team with their states and what they were asked for today.",
    }),
    getEngine: op.show({ summary: "Get an engine" }),
    addEngine: op.create({
      summary: "Add an engine",
      description:
        "A machine that translates. What it gives is checked as what people write, and waits for a review.",
      body: named("NewEngine", {
        name: text.meta({
          pattern: engineNamePattern.source,
          description: "Its name: a to z, 0 to 9 and hyphens. Unique in the team.",
          examples: ["mistral"],
        }),
        type: type.meta({
          description:
            "`openai`: chat completions, as OpenAI, Mistral, Ollama, vLLM and others have them. `deepl`, `libretranslate`, `apertium`.",
        }),
        ...wanted,
      }),
      example: { name: "mistral", type: "openai", url: exampleUrl, model: "mistral-small-latest", key: "…" },
      errors: ["conflict", "quota", "too-many-attempts"],
      command: { args: ["name"], help, members },
      form: {
        title: "engines.new_engine",
        button: "common.add",
        fields,
        members: ["name", "type", ...formMembers],
      },
    }),
    updateEngine: op.edit({
      summary: "Change an engine",
      description:
        "Another `url` or `type` needs the `key` again, since the present one is for the present address.",
      body: named("EngineChange", {
        type: type.optional().meta({ description: "The type that it becomes." }),
        ...wanted,
      }),
      example: { model: "mistral-large-latest" },
      errors: ["too-many-attempts"],
      command: { help, members },
      form: { button: "common.save", fields, members: formMembers },
    }),
    removeEngine: op.delete({
      summary: "Remove an engine",
      form: { button: "common.remove_3", confirms: true },
    }),
    tryEngine: op.act("try", {
      summary: "Have an engine translate a text",
      description:
        "Nothing is stored. One that is left alone after failures is asked, too: if it answers, it is `ready` again.",
      body: named("EngineTrialRequest", {
        text: textOf(5_000)
          .min(1, "must not be empty")
          .meta({ description: "The text to translate.", examples: ["Hello {name}"] }),
        to: locale.meta({ description: "The locale to translate into.", examples: ["es"] }),
        from: locale
          .optional()
          .meta({ default: "en", description: "The locale of the text; `en` if not given." }),
        syntax: z
          .enum(syntaxNames, `must be one of ${syntaxNames.join(", ")}`)
          .optional()
          .meta({ default: "brace", description: "How arguments are written in it; `brace` if not given." }),
      }),
      example: { text: "Hello {name}", to: "es" },
      response: engineTrial,
      errors: ["engine-failed"],
      command: { args: ["text"], shows: true },
      form: {
        title: "engines.try",
        button: "common.translate",
        fields: {
          text: { isLong: true, placeholder: "Hello {name}" },
          to: { placeholder: "es" },
          from: { initial: "en" },
        },
        members: ["text", "to", "from"],
      },
    }),
  }),
);
