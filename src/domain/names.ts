/**
 * Parsers of names that come from outside. Each name is parsed once into a branded type, and only branded names become
 * part of a path.
 */
import { invalid, type Issues } from "./errors.ts";
import { isOid, oidPattern, type Branded, type Oid } from "./oid.ts";
import { textProblem } from "./text.ts";

export { isOid, oidPattern, type Branded, type Oid };

export type TeamName = Branded<string, "TeamName">;
export type HiveSlug = Branded<string, "HiveSlug">;
export type TokenId = Branded<string, "TokenId">;
/** Names a person for ever, in a storage; also what they sign in with. */
export type PersonId = Branded<string, "PersonId">;
/** A relative path such as `auth.php` or `admin/menu.php`. */
export type FileName = Branded<string, "FileName">;

export const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const slugRule = "must be 1 to 64 lower-case letters, digits and hyphens, with no hyphen at either end";

function formedAs<Name extends string>(pattern: RegExp) {
  return (text: string): text is Branded<string, Name> => pattern.test(text);
}

export const isHiveSlug = formedAs<"HiveSlug">(slugPattern);
export const isTeamName = formedAs<"TeamName">(slugPattern);
export const isPersonId = formedAs<"PersonId">(slugPattern);
export const isTokenId = formedAs<"TokenId">(/^[0-9A-Za-z]{1,64}$/);

/** Makes a parser of a name, which throws the SkepError `invalid` on a field. @param usual the field if none is given. */
function parserOf<Name extends string>(
  isName: (text: string) => text is Name,
  usual: string,
  rule = slugRule,
) {
  return (text: string, field = usual): Name => {
    if (!isName(text)) throw invalid(field, rule);
    return text;
  };
}

export const toHiveSlug = parserOf(isHiveSlug, "slug");
export const toTeamName = parserOf(isTeamName, "team");
export const toPersonId = parserOf(isPersonId, "id");
export const toTokenId = parserOf(isTokenId, "token", "must be a token's id: letters and digits");

const deviceName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)$/i;
const forbiddenCharacter = /[\\:*?"<>|\p{Cc}\p{Cf}]/u;

/** Whether Windows would open a device instead of a file of this name. */
export function isDeviceName(part: string): boolean {
  return deviceName.test((part.split(".", 1)[0] ?? "").trimEnd());
}

function partProblem(part: string): string | undefined {
  if (part === "") return "must have no empty part between slashes";
  if (Buffer.byteLength(part) > 200) return "must have no part longer than 200 bytes";
  if (part.startsWith(".")) return "must have no part that starts with a dot";
  if (part.endsWith(".") || part.endsWith(" ")) return "must have no part that ends with a dot or a space";
  const [character] = forbiddenCharacter.exec(part) ?? [];
  if (character !== undefined) {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return `must not contain the character U+${code}`;
  }
  if (/~[0-9]/.test(part)) return "must not contain ~ followed by a digit";
  if (isDeviceName(part)) return "must not contain a Windows device name";
  return undefined;
}

export const maxFileNameBytes = 255;

/**
 * Why a text cannot be the name of a file, or undefined when it can. The rule is that `git fsck --strict` accepts
 * the stored path and every system can check it out.
 */
export function fileNameProblem(text: string): string | undefined {
  if (text === "") return "must not be empty";
  const problem = textProblem(text);
  if (problem !== undefined) return problem;
  if (Buffer.byteLength(text) > maxFileNameBytes) return `must be at most ${maxFileNameBytes} bytes`;
  if (text.normalize("NFC") !== text) return "must be in Unicode normalization form NFC";
  for (const part of text.split("/")) {
    const partly = partProblem(part);
    if (partly !== undefined) return partly;
  }
  return undefined;
}

export function isFileName(text: string): text is FileName {
  return fileNameProblem(text) === undefined;
}

/** What a file's name has behind it where it is stored. */
export const storedEnding = ".json";

/** The path of a file's blob below its locale's folder. */
export function storedPath(file: FileName): string {
  return file + storedEnding;
}

/** The name without its last extension: `admin/menu` for `admin/menu.php`. */
export function stemOf(file: string): string {
  const dot = file.lastIndexOf(".");
  return dot > file.lastIndexOf("/") + 1 ? file.slice(0, dot) : file;
}

/** Folds the case of a name: names that a case-insensitive file system may confuse get the same result. */
export function foldCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}

/** A file that cannot be stored beside another, and the reason. */
interface Clash {
  readonly file: FileName;
  readonly other: FileName;
  readonly problem: string;
}

/** Notes an issue for each given file that cannot be stored beside another; see {@link findClashes}. */
export function checkClashes(files: Iterable<FileName>, given: ReadonlySet<FileName>, issues: Issues): void {
  for (const { file, problem } of findClashes(files, given)) issues.add(`files.${file}`, problem);
}

/**
 * Finds files that cannot be stored beside another: their names differ only by case, or one needs a folder where the
 * other is a file.
 * @param files all files after the change.
 * @param given the files to be added; clashes between other files are ignored.
 */
export function findClashes(files: Iterable<FileName>, given: ReadonlySet<FileName>): readonly Clash[] {
  const clashes: Clash[] = [];
  function clash(file: FileName, other: FileName, problem: (other: FileName) => string): void {
    if (given.has(file)) clashes.push({ file, other, problem: problem(other) });
    else if (given.has(other)) clashes.push({ file: other, other: file, problem: problem(file) });
  }
  const byPath = new Map<string, FileName>();
  for (const file of files) {
    const path = foldCase(storedPath(file));
    const other = byPath.get(path);
    if (other === undefined) byPath.set(path, file);
    else clash(file, other, (name) => `differs from the file ${name} only by case`);
  }
  for (const [path, file] of byPath) {
    for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
      const other = byPath.get(path.slice(0, slash));
      if (other === undefined) continue;
      clash(
        file,
        other,
        (name) => `cannot be stored beside the file ${name}: one would be a folder, the other a file`,
      );
    }
  }
  return clashes;
}
