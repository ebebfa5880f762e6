/** What members of a request are asked for by in forms: their fields, what these offer, and what was filled in. */
import type { z } from "zod";
import { membersOf, type Member, type Pair } from "../../../api/members.ts";
import type { FieldDocs, FormDocs } from "../../../api/operation-docs.ts";
import { abilities, allows, reachedOf, reviewRules } from "../../../domain/access/token.ts";
import { isRecord } from "../../../domain/record.ts";
import type { LocaleCode } from "../../../domain/hives/locale.ts";
import type { Caller } from "../../../service/access.ts";
import type { Form } from "../requests/form.ts";
import type { TeamRequest } from "../requests/page.ts";
import { languageName, t, textIn, textKey } from "../texts/texts.ts";
import type { FormField } from "./fields.tsx";
import { teamLocales } from "./hive-states.ts";

/** One of a noun, as the API answers with it. */
export type Entity = Readonly<Record<string, unknown>>;

/** The hidden field that names the members which the form has fields for. */
export const membersField = "members";

/** What the fields of a form offer, by what their members are declared to have. */
export type Offers = Readonly<
  Record<Exclude<FieldDocs["options"], "locales" | undefined>, readonly string[]> & {
    /** Codes with names; without them, codes are written. */
    readonly locales?: readonly (readonly [code: string, name: string])[];
    readonly states?: readonly string[];
    /** Languages that can be added, by their codes. */
    readonly languages?: readonly (readonly [code: string, name: string])[];
    /** The names of texts that stand for no value here, in place of the declared ones. */
    readonly none?: Readonly<Record<string, string>>;
  }
>;

/** What a form changes, what it offers, and the members that it asks for, where these are fewer than declared. */
export interface Editing {
  readonly entity: Entity;
  readonly offers: Offers;
  readonly members?: readonly string[];
}

/** What a caller can choose from: nobody grants more than they have. */
export function offersOf({ principal, team }: Caller): Offers {
  const isReviewed = principal.review === "always";
  return {
    abilities: abilities.filter((ability) => allows(principal, ability)),
    hives: reachedOf(principal, team.hives),
    reviews: isReviewed ? ["always"] : reviewRules,
    ...(isReviewed && { none: { review: "rights-fields.always_as_your_own" } }),
  };
}

/**
 * What the form of somebody's rights offers: also the locales of the team.
 * @param chosen the locales that they are limited to already.
 */
export async function rightsOffersOf(
  { storage, session }: Pick<TeamRequest, "storage" | "session">,
  chosen: readonly LocaleCode[] = [],
): Promise<Offers> {
  const { caller } = session;
  const found = await teamLocales(storage, caller);
  const known = new Set(found?.map(({ code }) => code));
  // A box that is not there could not stay chosen.
  const all = [...(found ?? []), ...chosen.filter((code) => !known.has(code)).map((code) => ({ code }))];
  const named = all.map((locale) => [locale.code, `${languageName(locale)} (${locale.code})`] as const);
  const offered = named.toSorted(([, one], [, other]) => one.localeCompare(other, "en"));
  return { ...offersOf(caller), ...(found !== undefined && offered.length > 0 && { locales: offered }) };
}

/** A declared text. @throws Error where there is none of the name. */
export function textOf(
  name: string | undefined,
  params?: Readonly<Record<string, string>>,
): string | undefined {
  return name === undefined ? undefined : t(textKey(name), params ?? {});
}

/**
 * The fields of a form: one for each member of a body.
 * @param given.path the address of the form, by which texts about its fields are found.
 * @param given.values what it edits.
 * @param given.members the members that it asks for, if not all that are declared.
 */
export function formFields(
  body: z.ZodObject,
  form: Pick<FormDocs, "members" | "fields"> | undefined,
  given: {
    readonly path: string;
    readonly offers: Offers;
    readonly values?: Entity;
    readonly members?: readonly string[];
  },
): readonly FormField[] {
  const { values = {} } = given;
  return askedOf(body, form, given.members).flatMap((member) => {
    const fields = form?.fields ?? {};
    const { [member.name]: value } = values;
    // A member that is an object has a field for each of its own.
    return partsOf(member).map(({ part, name }) => {
      const own = part === member || !isRecord(value) ? value : value[part.name];
      return fieldOf(Object.assign({}, part, { name }), fields[name] ?? {}, { ...given, value: own });
    });
  });
}

/** A member, or the members of one that is an object, each by the name of its field. */
function partsOf(member: Member): readonly { readonly part: Member; readonly name: string }[] {
  const { name, members } = member;
  if (members === undefined) return [{ part: member, name }];
  return members.map((part) => ({ part, name: `${name}.${part.name}` }));
}

/** The members that a form asks for, in its order. */
function askedOf(
  body: z.ZodObject,
  form: Pick<FormDocs, "members"> | undefined,
  only: readonly string[] | undefined,
): readonly Member[] {
  const all = membersOf(body);
  const names = form?.members ?? all.map(({ name }) => name);
  return names
    .filter((name) => only?.includes(name) ?? true)
    .flatMap((name) => all.filter((member) => member.name === name));
}

function fieldOf(
  member: Member,
  docs: FieldDocs,
  given: { readonly path: string; readonly offers: Offers; readonly value?: unknown },
): FormField {
  const { path, offers } = given;
  const { name, takes, choices, whole, pair, isRequired, isNullable } = member;
  const { options, suggests, initial, none, unless } = docs;
  const label = textIn("field", `${path}.${name}`) ?? textIn("field", name) ?? name;
  const { value = initial } = given;
  const offered = options === undefined ? choices : offers[options];
  const named = (one: string | readonly [string, string]): readonly [string, string] => {
    if (typeof one !== "string") return one;
    const own = textIn("option", `${path}.${name}.${one}`);
    return [one, own ?? textIn("option", `${name}.${one}`) ?? one];
  };
  if (takes === "switch") return { kind: "switch", name, label, isOn: value === true };
  if (takes === "list" && offered !== undefined) {
    const chosen = [value ?? []]
      .flat()
      .filter((each) => each !== whole)
      .map(String);
    return { kind: "many", name, label, options: offered.map(named), chosen, unless };
  }
  const asText = (one: unknown): string =>
    pair !== undefined && isRecord(one) ? pair.names.map((each) => one[each]).join("=") : String(one);
  const shown = [value ?? []]
    .flat()
    .map(asText)
    .join(pair === undefined ? ", " : " ");
  const text = shown === "" ? undefined : shown;
  if (offered !== undefined) {
    const all = textOf(offers.none?.[name] ?? none);
    return {
      kind: "one",
      name,
      label,
      all,
      allIsLast: docs.noneIsLast,
      value: text,
      options: offered.map(named),
    };
  }
  // Whoever edits sees the present value, and an empty field would say nothing.
  const required = isRequired || (text !== undefined && !isNullable);
  const { type, value: written } = asInput(member, text);
  // What is stored is not shown, so that an empty field says nothing of it.
  if (docs.isSecret === true) return { name, label, value: undefined, required: false, type: "password" };
  const { placeholder = type === "url" ? "https://…" : undefined } = docs;
  if (docs.isLong === true) return { kind: "area", name, label, value: written, required, placeholder };
  const suggested = suggests === undefined ? undefined : offers[suggests];
  return { name, label, value: written, required, type, placeholder, options: suggested };
}

/** How browsers take a member. */
function asInput({ takes, pattern = "" }: Member, text: string | undefined) {
  if (takes === "time") return { type: "date", value: text?.slice(0, 10) } as const;
  if (takes === "number") return { type: "number", value: text } as const;
  return { type: pattern.includes("https?:") ? ("url" as const) : undefined, value: text };
}

/**
 * What a form says as the body of a request, unchecked: an empty field stands for `null` where that may be. A day is a time
 * by its end.
 * @param changed the fields whose members are sent, with those that belong to them; all if not given. What others have made
 *   of the rest since it was compared stays so.
 */
export function formBody(
  body: z.ZodObject,
  form: Pick<FormDocs, "members" | "switches" | "fields" | "together"> | undefined,
  sent: Form,
  changed?: ReadonlySet<string>,
): Entity {
  const only = sent.words(membersField);
  const switched = form?.switches?.map(({ member }) => member) ?? [];
  const members = form?.members && [...form.members, ...switched];
  const asked = askedOf(body, members && { members }, only ?? form?.members);
  const left = new Set(
    Object.entries(form?.fields ?? {}).flatMap(([name, docs]) => leftOut(name, docs, sent)),
  );
  const wanted = changed && membersWith(changed, form?.together);
  return Object.fromEntries(
    asked
      .filter(({ name }) => !left.has(name) && (wanted?.has(name) ?? true))
      .map((member) => {
        const parts = partsOf(member).map(({ part, name }) => {
          return [part.name, valueIn(Object.assign({}, part, { name }), sent)] as const;
        });
        return [member.name, member.members === undefined ? parts[0]?.[1] : Object.fromEntries(parts)];
      }),
  );
}

/** The members of fields, and those that belong together with one of them. */
function membersWith(fields: ReadonlySet<string>, together: FormDocs["together"] = []): ReadonlySet<string> {
  const members = new Set(Array.from(fields, (name) => name.split(".")[0] ?? name));
  return new Set([...members, ...together.filter((group) => group.some((name) => members.has(name))).flat()]);
}

/** Of a field that another stands for, the one of the two that is not sent. */
function leftOut(name: string, { unless, isSecret }: FieldDocs = {}, sent: Form): readonly string[] {
  if (isSecret === true && sent.word(name) === undefined) return [name];
  if (unless === undefined) return [];
  return [sent.word(unless) === undefined ? unless : name];
}

/** Two texts with `=` between them as the object that they are. */
function toPair(text: string, { names }: Pair): Entity {
  const [first = "", second = ""] = text.split("=", 2);
  return { [names[0]]: first, [names[1]]: second };
}

function valueIn(member: Member, sent: Form): unknown {
  const { name, takes, whole, pair, isNullable, isRequired } = member;
  if (takes === "switch") return sent.text(name) === "true";
  if (takes === "list") {
    const given = sent.all(name).flatMap((text) => text.split(/[\s,]+/).filter((word) => word !== ""));
    if (given.length === 0) return isNullable ? null : (whole ?? []);
    return pair === undefined ? given : given.map((text) => toPair(text, pair));
  }
  const text = sent.word(name);
  if (text === undefined && isNullable) return null;
  if (text === undefined) return isRequired || name in sent.values ? "" : undefined;
  if (takes === "time") return `${text}T23:59:59Z`;
  return takes === "number" ? Number(text) : text;
}
