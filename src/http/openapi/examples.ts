/** Examples of responses, made from examples of their members: a member has the same one wherever it stands. */
import { z } from "zod";
import { ownMember } from "../../domain/record.ts";

export const exampleCommit = "1b2c3d4e5f60718293a4b5c6d7e8f90123456789";
export const earlierCommit = "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432";
const time = "2026-01-31T09:30:00Z";
const later = "2026-03-02T09:30:00.000Z";
const hash = "3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea";

/** By the name of a member; of several, the first that fits its schema. */
const ofMembers: Readonly<Record<string, readonly unknown[]>> = {
  abilities: [["read", "write"]],
  accepted: [1],
  after: ["Wrong password."],
  ahead: [2],
  approved: [97],
  approved_percent: [97],
  at: ["v1.2"],
  author: ["Translator"],
  base: [earlierCommit],
  before: ["Bad password."],
  behind: [1],
  branch: ["main"],
  browser: ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"],
  by: ["Anna"],
  change: ["updated"],
  changed_keys: [{ en: 3, fr: 1 }],
  check: ["argument-extra"],
  claim: ["5f0c7a1d2e3b4c5d6e7f8091"],
  client: ["192.0.2.1"],
  code: ["pt-BR"],
  commit: [exampleCommit],
  confirmed: [1],
  counts: [{ created: 1, updated: 1 }, { fr: { error: 1, warning: 0 } }],
  created: [3],
  current_page: [1],
  custom_code: ["pt_BR"],
  deleted: [1],
  email: ["4fQ2xZ@tokens.skep.invalid"],
  empty: [2],
  expected: [{ source: { other: "Wrong password." }, translation: { other: null } }],
  expires: [later],
  expires_at: ["2026-01-31T12:10:00.000Z"],
  failing: [0],
  file: ["auth.php"],
  files: ["*.php", { "auth.json": '{\n  "failed": "Senha errada."\n}\n' }],
  form: ["other"],
  glossary_version: ["4b825dc642cb6eb9a060e54bf8d69288fbee4904:"],
  hash: [hash],
  height: [800],
  hive: ["web"],
  hives: ["all"],
  id: ["k3v9x0q2m8za"],
  key: ["failed"],
  last_page: [1],
  level: ["refuse"],
  left: [1234],
  locale: ["fr"],
  mail: ["anna@example.org"],
  main: [exampleCommit],
  max_length: [40],
  moved: [1],
  name: ["CI"],
  note: ["Shown above the form."],
  old_source_value: ["Bad password."],
  openapi: ["/openapi.json"],
  operation: ["import"],
  other_locales: [{ de: "Falsches Passwort." }],
  part_of_speech: ["noun"],
  path: ["/p/5f0c2a9be14d7730c6a1f0d2/production/"],
  per_page: [100],
  previous: [earlierCommit],
  received: [true],
  ref: ["https://ci.example.org/runs/42"],
  rejected: [1],
  released: [1],
  score: [100],
  secret: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="],
  shape: ["nested"],
  sign_in: [["passkey"]],
  slug: ["web"],
  source: ["Wrong password.", { other: "Wrong password." }],
  source_locale: ["en"],
  source_value: ["Wrong password."],
  state: ["stale", "received"],
  string: ["auth.json:login.title"],
  string_count: [100],
  strings: [["auth.json:login.*"]],
  style: ["Address the reader as vous."],
  subject: ["Import source strings: 1 created, 1 updated"],
  syntax: ["laravel"],
  tags: [["login"]],
  team: ["acme"],
  text: ["Senha errada."],
  time: [time],
  token: ["k3v9x0q2m8za"],
  tokens: [180],
  total: [1],
  translated: [97],
  translated_percent: [98],
  translation: ["Senha errada.", { other: null }],
  translations_created: [4],
  updated: [1],
  url: ["https://ci.example.org/skep"],
  user_code: ["BCDF-GHJK"],
  verification_uri: ["https://skep.example.org/device"],
  version: ["0.1.0"],
  warning: [1],
  where: [["src/login.ts:12"]],
  width: [1280],
};

/** Members whose example is another in one object, by the id of its schema and their name; and whole values, by their id. */
const ofObjects: Readonly<Record<string, unknown>> = {
  "ApprovalResult.approved": 1,
  "Branch.name": "feature/login",
  "BranchChange.locale": "en",
  "Channel.branch": null,
  "Channel.name": "production",
  "Channel.public": true,
  "DeletedBranch.name": "feature/login",
  "DeviceCode.device_code": "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS0o",
  "DeviceCode.expires_in": 600,
  "DeviceCode.interval": 5,
  "DeviceToken.token": "skep_k3v9x0q2m8za_8fQ0vYtR2sLxW7nKc4JhB9mZ1pDgE6uA",
  "DeviceToken.access_token": "skep_k3v9x0q2m8za_8fQ0vYtR2sLxW7nKc4JhB9mZ1pDgE6uA",
  "Engine.name": "mistral",
  "Engine.model": "mistral-small-latest",
  "EngineTrial.text": "Hola {name}",
  "EngineTrialFinding.message": "{nom} is not in the source text, which has {name}",
  "Finding.message": ":nom is not in the source text, which has :name",
  "Document.openapi": "3.1.1",
  "Hive.locales": ["fr", "pt_BR"],
  "Hive.name": "Web shop",
  "HiveProgress.name": "Web shop",
  "Invitation.url": "https://skep.example.org/invitation?code=anna.…",
  "IssuedToken.token": "skep_k3v9x0q2m8za_8fQ0vYtR2sLxW7nKc4JhB9mZ1pDgE6uA",
  "KeyChange.locale": "en",
  "ListedHive.locales": ["fr", "pt_BR"],
  "ListedHive.name": "Web shop",
  "LocaleStats.total": 100,
  "Me.name": "Anna Bauer",
  "Mirror.url": "https://git.example.org/acme/web.git",
  "Person.id": "anna",
  "Person.name": "Anna Bauer",
  "Picture.name": "login.png",
  PublishedFile: { auth: { failed: "Échec." } },
  "RemovedChannel.name": "production",
  "Server.docs": "/docs",
  "SourceKeyList.total": 1,
  "Suggestion.engine": "mistral",
  "Suggestion.forms": { other: "Mot de passe erroné." },
  "Suggestion.model": "mistral-small-latest",
  "Style.text": "Say vous. No exclamation marks.",
  "StyleResult.text": "Say vous. No exclamation marks.",
  "Tag.name": "v1.2",
  "Team.name": "acme",
  "Term.source": "file",
  "TermTranslation.text": "fichier",
  "TrashEntry.id": "web.20260101T000000000Z",
  "TranslationJob.engine": "mistral",
  "TranslationJob.by": "Anna Bauer",
  "TranslationJob.locales": ["fr"],
  "WorkArgument.name": "count",
  "WorkTerm.source": "password",
  "WorldLocale.is_popular": true,
  "WorldLocale.name": "Portuguese (Brazil)",
  "WorldLocale.region": "BR",
};

/**
 * An example of what a schema of a response describes, without the members that may be missing.
 * @param name of the member that it is. @param owner the id of the object that has it.
 * @throws Error for a text that has no example: add one to the tables above, or to the schema's `meta`.
 */
export function exampleOf(schema: z.core.$ZodType, name = "", owner = ""): unknown {
  const { examples, id = schema instanceof z.ZodObject ? name : owner } = z.globalRegistry.get(schema) ?? {};
  const candidates: unknown[] = [
    ownMember(ofObjects, `${owner}.${name}`),
    ownMember(ofObjects, id),
    ...(Array.isArray(examples) ? examples : []),
    ...(ownMember(ofMembers, name) ?? []),
  ];
  const fitting = candidates.find((value) => value !== undefined && z.safeParse(schema, value).success);
  if (fitting !== undefined) return fitting;
  if (schema instanceof z.ZodNullable) return null;
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape).filter(([, member]) => !(member instanceof z.ZodOptional));
    return Object.fromEntries(members.map(([member, inner]) => [member, exampleOf(inner, member, id)]));
  }
  if (schema instanceof z.ZodArray)
    return schema.element instanceof z.ZodObject ? [exampleOf(schema.element, name, id)] : [];
  if (schema instanceof z.ZodRecord) return { fr: exampleOf(schema.valueType, name, id) };
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodBoolean) return false;
  if (schema instanceof z.ZodNumber) return 0;
  if (schema instanceof z.ZodISODateTime) return time;
  throw new Error(`the text ${owner}.${name} has no example`);
}
