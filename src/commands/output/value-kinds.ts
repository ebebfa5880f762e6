/** Which values of flags and arguments are names that only a server or a storage knows. */

/** What names are of. `ids` are those of the noun whose command it is. */
export type NameKind = "hives" | "locales" | "branches" | "channels" | "ids";

const flagKinds: Readonly<Record<string, NameKind>> = {
  "--hive": "hives",
  "--locale": "locales",
  "--branch": "branches",
};

/** What the value of a flag is a name of. @param flag such as `--hive`. */
export function kindOfFlag(flag: string | null | undefined): NameKind | undefined {
  return flagKinds[flag ?? ""];
}

/** Arguments that name something, by the names that they have in help. */
const argumentKinds: Readonly<Record<string, NameKind>> = {
  hive: "hives",
  slug: "hives",
  locale: "locales",
  code: "locales",
};
const nounsWithIds = new Set(["mirror", "person", "token", "webhook"]);
/** Commands whose arguments are new names, or those of what was deleted. */
const withNewNames = new Set(["create", "add", "set", "restore"]);

/**
 * What an argument is a name of.
 * @param path the words of its command, such as `skep branch merge`.
 * @param argument its name in help.
 */
export function kindOfArgument(path: string, argument: string): NameKind | undefined {
  const [, noun = "", verb = ""] = path.split(" ");
  const isNew = withNewNames.has(verb);
  if (nounsWithIds.has(noun) && (argument === "id" || argument === noun)) return isNew ? undefined : "ids";
  if (noun === "branch" && argument === "name") return isNew ? undefined : "branches";
  if (noun === "channel" && argument === noun) return isNew ? undefined : "channels";
  if (noun === "hive" && isNew) return undefined;
  return argument === "code" && isNew ? undefined : argumentKinds[argument];
}
