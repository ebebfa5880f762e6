/** Hives of a team, and their settings. */
import { z } from "zod";
import { checkLevels } from "../domain/checks/check-settings.ts";
import { syntaxNames } from "../domain/checks/syntax-names.ts";
import { keptDays } from "../domain/deletion-time.ts";
import { formatNames } from "../domain/files/file-formats.ts";
import { maxPatternLength, maxRules } from "../domain/files/file-rules.ts";
import { pluralModes, pushPolicies } from "../domain/hives/hive-settings.ts";
import { maxLocales } from "../domain/hives/locale.ts";
import { localeStats } from "./locale-stats.ts";
import { displayName, hasMember, localeBody, localeCode, slugField } from "./management.ts";
import { count, jsonObject, listOf, named, text } from "./objects.ts";
import { operations } from "./operation.ts";

const plurals = z.enum(pluralModes, `must be one of ${pluralModes.join(", ")}`).meta({
  description:
    "How plural strings are recognised in the source: by keys such as `item_one` and `item_other` (`i18next`), by groups with keys such as `one` and `other` (`nested`), both (`auto`), or not at all (`none`). Each locale can then have the plural forms of its language.",
});

const push = z.enum(pushPolicies, `must be one of ${pushPolicies.join(", ")}`).meta({
  description:
    "Which branches take commits through `git push`: all but main (`branches`), main too (`all`), or `none`.",
});

const glossary = slugField.nullable().meta({
  description:
    "The Hive of the same team whose glossary counts, too, where the Hive has no own term of a spelling; `null` for none.",
});

const engines = z.boolean("must be true or false").meta({
  description:
    "Whether texts of the Hive may be sent to the team's engines, which are machines that translate.",
});

const maxDeletions = z
  .int(`must be a whole number, at most ${Number.MAX_SAFE_INTEGER}`)
  .nonnegative("must be 0 or more")
  .nullable()
  .meta({
    description:
      "How many source strings one request may delete, unless it has a `max_deletions` of its own; `null` for no limit.",
  });

/** Rules that say something of the files of a pattern. @param said the member of a rule that says it. */
function fileRules<Said extends z.ZodRawShape>(id: string, said: Said, description: string) {
  const files = text.meta({
    minLength: 1,
    maxLength: maxPatternLength,
    description:
      "A pattern of file names: `*` stands for any characters but a slash, `**` for any folders. Without a slash it matches in any folder.",
    examples: ["*.json"],
  });
  return z
    .array(named(id, { files, ...said }), "must be a list of rules")
    .max(maxRules, `must have at most ${maxRules} rules`)
    .meta({ description: `${description} The last rule that matches counts.` })
    .optional();
}

/** The settings of a Hive's checks, as a request gives them; a member that is missing stays as it is. */
const checksChange = z
  .object(
    {
      level: z
        .enum(checkLevels, `must be one of ${checkLevels.join(", ")}`)
        .meta({
          description:
            "`off`: nothing is checked. `warn`: responses list findings. `refuse`: a write that brings a text with an error is refused.",
        })
        .optional(),
      syntax: fileRules(
        "SyntaxRule",
        { syntax: z.enum(syntaxNames, `must be one of ${syntaxNames.join(", ")}`) },
        "Which syntax the messages of a file have.",
      ),
      formats: fileRules(
        "FileFormat",
        { format: z.enum(formatNames, `must be one of ${formatNames.join(", ")}`) },
        "Which format the app's file has, where its name does not say it: what that cannot hold is found by the check `format`.",
      ),
    },
    "must be an object of level, syntax and formats",
  )
  .meta({ id: "ChecksUpdate" });

export type ChecksChange = z.infer<typeof checksChange>;

const checks = z
  .object({
    level: z.enum(checkLevels),
    syntax: z.array(named("StoredSyntaxRule", { files: z.string(), syntax: z.enum(syntaxNames) })),
    formats: z.array(named("StoredFileFormat", { files: z.string(), format: z.enum(formatNames) })),
  })
  .meta({ id: "Checks", description: "How texts are checked; see `GET /api/hives/{slug}/checks`." });

export type ChecksAnswer = z.infer<typeof checks>;

/** A locale without a custom code may be given by its code alone. */
const localeGiven = z.union([localeCode, localeBody], "must be a code, or an object of code and custom_code");
export type LocaleGiven = z.infer<typeof localeGiven>;

const newHive = named("NewHive", {
  slug: slugField,
  name: displayName.nullish(),
  source_locale: localeGiven.nullish(),
  locales: listOf(localeGiven, { max: maxLocales }).nullish(),
  max_deletions: maxDeletions.optional(),
  plurals: plurals.nullish(),
  push: push.nullish(),
  checks: checksChange.nullish(),
  glossary: glossary.optional(),
  engines: engines.optional(),
});

export const hiveChange = jsonObject({
  name: displayName.optional(),
  max_deletions: maxDeletions.optional(),
  plurals: plurals.optional(),
  push: push.optional(),
  checks: checksChange.optional(),
  glossary: glossary.optional(),
  engines: engines.optional(),
})
  .refine(hasMember, {
    path: ["name"],
    message: "must be given, or max_deletions, plurals, push, checks, glossary or engines",
  })
  .meta({ id: "HiveUpdate", minProperties: 1 });

const maxDeletionsAnswer = count.nullable().meta({
  description: "How many source strings one request may delete; `null` for no limit.",
});

/** A Hive with its settings, in an answer to a change of them. */
export const managedHive = named("Hive", {
  slug: z.string(),
  name: z.string(),
  source_locale: z.string().meta({
    description: "Its code, or its custom code if it has one, as in the names of exported files.",
  }),
  locales: z.array(z.string()).meta({ description: "The codes of the target locales, likewise." }),
  max_deletions: maxDeletionsAnswer,
  plurals,
  push,
  checks,
  glossary,
  engines,
  string_count: count,
});
export type ManagedHive = z.infer<typeof managedHive>;

/** A Hive of a list. */
const listedHive = named("ListedHive", {
  slug: z.string(),
  name: z.string(),
  source_locale: z.string(),
  locales: z.array(z.string()).meta({ description: "The codes of the target locales." }),
  string_count: count.meta({ description: "The number of source strings whose text is not empty." }),
  empty_source: count.meta({
    description:
      "The number of source strings whose text is empty. They need no translation and are not counted elsewhere.",
  }),
});
export type ListedHiveAnswer = z.infer<typeof listedHive>;

/** Both members have the same list, because some clients read the one and some the other. */
export const hiveList = named("HiveList", { hives: z.array(listedHive), data: z.array(listedHive) });

export const hiveProgress = listedHive
  .omit({ locales: true })
  .extend({
    locales: z
      .record(z.string(), localeStats)
      .meta({ description: "The progress of each target locale, by its code." }),
    max_deletions: maxDeletionsAnswer,
    plurals,
    push,
    checks,
    glossary,
    engines,
    stats: z.record(z.string(), localeStats).meta({ description: "The same as `locales`." }),
  })
  .meta({ id: "HiveProgress" });

export const hiveDeleted = named("DeletedHive", {
  slug: z.string(),
  expires: z.iso.datetime().meta({ description: "Until when the Hive can be restored." }),
});

const checksMembers = {
  "checks.level": {
    flag: "checks",
    help: "how writes of texts with errors are handled: without a check (off), with a report (warn), or refused (refuse)",
  },
  "checks.syntax": {
    help: `the syntax of messages in some files, such as *.json=icu; the last matching rule counts (${syntaxNames.join(", ")})`,
  },
  "checks.formats": {
    flag: "file-format",
    help: `the format of some files in the app, where their names do not say it, such as messages.xml=xliff; the last matching rule counts (${formatNames.join(", ")})`,
  },
} as const;

export const hives = operations(
  {
    noun: "hive",
    called: "Hive",
    about: "Create, change, list, show and delete Hives.",
    path: "/api/hives",
    key: "slug",
    names: "slug",
    entity: listedHive,
    label: "name",
    group: "Management",
    ability: "admin",
    allHives: true,
    hasCommit: true,
    columns: ["slug", "string_count", "source_locale", "name", "locales"],
    nulls: { locales: "none" },
  },
  (op) => ({
    listHives: op.listAll({
      summary: "List the Hives that the token can read",
      description:
        "In order of creation. The list is given twice, as `hives` and as `data`. A Hive whose stored content is invalid is listed with the last state that could be read.",
      group: "Hives",
      hasCommit: false,
      response: hiveList,
      tool: {
        name: "hives",
        title: "List Hives",
        description: "Lists the Hives that you can read, with their source locale and their target locales.",
        givesTexts: true,
      },
    }),
    getHive: op.show({
      summary: "Get a Hive with its translation progress",
      description:
        "Progress is given for each target locale, twice: as `locales` and as `stats`. Strings with an empty source text are not counted. A plural string counts once for each plural form that the language needs for whole numbers, so `total` may differ between locales.",
      group: "Hives",
      takesBranch: true,
      response: hiveProgress,
      command: { omits: ["stats"] },
      tool: {
        name: "progress",
        title: "Translation progress",
        description:
          "Tells how far each target locale of a Hive is translated, and the settings of the Hive.",
      },
    }),
    createHive: op.create({
      summary: "Create a Hive",
      description: "Slugs are unique across all teams of the server.",
      body: newHive,
      example: {
        slug: "web",
        name: "Web shop",
        source_locale: "en",
        locales: ["fr", { code: "pt-BR", custom_code: "pt_BR" }],
      },
      response: managedHive,
      errors: ["conflict", "quota"],
      command: {
        args: ["slug"],
        members: {
          slug: { help: "the name in addresses: lower-case letters, digits and hyphens" },
          name: { help: "the display name (default: the slug)" },
          source_locale: { help: "the locale of the source strings, such as en or en=en_US (default: en)" },
          locales: { help: "locales to translate into, such as fr,pt-BR=pt_BR; may be repeated" },
          ...checksMembers,
        },
        help: "A Hive is a git repository for the texts of one project.",
      },
    }),
    updateHive: op.edit({
      summary: "Update a Hive's settings",
      description:
        "Members that are not given stay as they are. Changing `plurals` deletes nothing that is stored.",
      body: hiveChange,
      example: { name: "Web shop", max_deletions: 100 },
      response: managedHive,
      command: { was: "update", members: { name: { help: "the display name" }, ...checksMembers } },
      form: {
        button: "common.save",
        fields: {
          "checks.syntax": { placeholder: "*.json=icu" },
          "checks.formats": { placeholder: "messages.xml=xliff" },
        },
      },
    }),
    deleteHive: op.delete({
      summary: "Delete a Hive",
      description:
        "Moves the Hive, with its texts and its history, to the trash, from which it can be restored until `expires`.",
      hasCommit: false,
      response: hiveDeleted,
      errors: ["quota"],
      command: {
        asksName: true,
        done: "Deleted the Hive {id}{place}. Until {expires} it comes back with: skep hive restore {id}",
        help: `It can be restored for ${keptDays} days, but without its mirrors and the access of tokens that list it.`,
      },
    }),
    restoreHive: op.actAt("restore", "/api/trash/:entry/restore", {
      summary: "Restore a deleted Hive",
      description:
        "Restores the Hive with its texts, tags and history, the one that was deleted last if several had the slug. The slug must be free (else 409), and the team's quota must allow it (else 422). Its mirrors, and the access of tokens that were limited to it, are not restored.",
      hasCommit: false,
      response: managedHive,
      errors: ["conflict", "quota"],
      command: {
        members: { entry: { help: "the slug of the Hive, or the entry of the trash if several have it" } },
        done: "Restored the Hive {slug}{place}.",
      },
    }),
  }),
);
