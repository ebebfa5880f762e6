/** Reads the file of `--oidc-rules`: which groups at the identity provider may do what. */
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node, type YAMLMap } from "yaml";
import { abilities, type Ability } from "../domain/access/token.ts";
import type { GivenRights, GroupRule, ProviderRules } from "../domain/access/provider-rules.ts";
import { toLocale } from "../domain/hives/locale.ts";
import { isHiveSlug, isTeamName } from "../domain/names.ts";

const maxRules = 1_000;
const rightsNames = ["team", "abilities", "hives", "locales"] as const;

/**
 * Reads the rules from the text of a file.
 * @param path names the file in errors.
 * @throws Error with the file, the line and the problem.
 */
export function parseRules(path: string, text: string): ProviderRules {
  const lines = new LineCounter();
  const document = parseDocument(text, { schema: "failsafe", lineCounter: lines, prettyErrors: false });
  const fail: Fail = (node, problem) => {
    throw new Error(`${path}:${lines.linePos(node?.range?.[0] ?? 0).line}: ${problem}`);
  };
  const [broken] = document.errors;
  if (broken !== undefined) {
    throw new Error(`${path}:${lines.linePos(broken.pos[0]).line}: is not YAML: ${broken.message}`);
  }
  const members = membersOf(document.contents, ["groups", "strangers"], fail);
  const groups = (members.has("groups") ? listOf(members.get("groups"), "groups", fail) : []).map((node) =>
    ruleOf(node, fail),
  );
  if (groups.length > maxRules) fail(document.contents, `groups: must be at most ${maxRules}`);
  const strangers = members.get("strangers");
  if (strangers === undefined || (isScalar(strangers) && strangers.value === "refuse")) return { groups };
  if (!isMap(strangers))
    return fail(strangers, "strangers: must be refuse, or what they may do: a team, abilities");
  return { groups, strangers: rightsOf(strangers, membersOf(strangers, rightsNames, fail), fail) };
}

type Fail = (node: Node | null | undefined, problem: string) => never;
type Members = ReadonlyMap<string, Node | null>;

function ruleOf(node: Node | null, fail: Fail): GroupRule {
  const members = membersOf(node, ["group", ...rightsNames], fail);
  const group = textOf(members.get("group"), "group", fail);
  return { group: group ?? fail(node, "group: must be given"), ...rightsOf(node, members, fail) };
}

function rightsOf(node: Node | null, members: Members, fail: Fail): GivenRights {
  const team = textOf(members.get("team"), "team", fail) ?? fail(node, "team: must be given");
  if (!isTeamName(team)) return fail(members.get("team"), `team: "${team}" is not the name of a team`);
  const given = textsOf(members, "abilities", fail)?.map((text) => abilityOf(text, members, fail)) ?? [];
  const hives = textsOf(members, "hives", fail)?.map((slug) =>
    isHiveSlug(slug) ? slug : fail(members.get("hives"), `hives: "${slug}" is not the slug of a Hive`),
  );
  const locales = textsOf(members, "locales", fail)?.map((code) => {
    try {
      return toLocale(code).code;
    } catch {
      return fail(members.get("locales"), `locales: "${code}" is not a locale`);
    }
  });
  for (const [name, list] of [
    ["abilities", members.has("abilities") ? given : undefined],
    ["hives", hives],
    ["locales", locales],
  ] as const) {
    if (list?.length === 0) fail(members.get(name), `${name}: must not be empty; leave it out`);
  }
  if (locales !== undefined && given.includes("admin")) {
    fail(members.get("locales"), "locales: admin cannot be limited to some locales");
  }
  return {
    team,
    abilities: given.length === 0 ? ["read"] : [...new Set(given)],
    hives: hives === undefined ? "all" : [...new Set(hives)],
    locales: locales && [...new Set(locales)],
  };
}

function abilityOf(text: string, members: Members, fail: Fail): Ability {
  const problem = `abilities: "${text}" must be one of ${abilities.join(", ")}`;
  return abilities.find((ability) => ability === text) ?? fail(members.get("abilities"), problem);
}

/** The members of a map. An unknown or repeated one is an error: a misspelt limit would be no limit. */
function membersOf(node: Node | null, known: readonly string[], fail: Fail): Members {
  if (!isMap(node)) return fail(node, `must hold ${known.join(", ")}`);
  const members = new Map<string, Node | null>();
  const { items }: YAMLMap = node;
  for (const { key, value } of items) {
    const name = isScalar(key) ? String(key.value) : "";
    if (!known.includes(name))
      fail(isScalar(key) ? key : node, `"${name}" must be one of ${known.join(", ")}`);
    members.set(name, isMap(value) || isSeq(value) || isScalar(value) ? value : null);
  }
  return members;
}

function listOf(node: Node | null | undefined, name: string, fail: Fail): readonly (Node | null)[] {
  if (!isSeq(node)) return fail(node, `${name}: must be a list`);
  return node.items.map((item) => (isMap(item) || isSeq(item) || isScalar(item) ? item : null));
}

function textOf(node: Node | null | undefined, name: string, fail: Fail): string | undefined {
  if (node === undefined) return undefined;
  const text = isScalar(node) ? String(node.value).trim() : "";
  return text === "" ? fail(node, `${name}: must be text`) : text;
}

/** The texts of a list; a member that is missing is undefined, as is `all` where there is no narrower meaning of it. */
function textsOf(members: Members, name: string, fail: Fail): readonly string[] | undefined {
  const node = members.get(name);
  if (node === undefined || (name !== "abilities" && isScalar(node) && node.value === "all"))
    return undefined;
  return listOf(node, name, fail).map((item) => textOf(item, name, fail) ?? "");
}
