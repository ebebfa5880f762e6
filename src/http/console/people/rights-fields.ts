/** The fields of a token, and of what a token or a person may do, within the rights of whoever grants it. */
import { abilities, allows, reachedOf, type Rights } from "../../../domain/access/token.ts";
import type { Caller } from "../../../service/access.ts";
import type { Form } from "../requests/form.ts";
import type { FormField } from "../parts/page-form.tsx";

/**
 * The fields.
 * @param now what is granted now.
 */
export function rightsFields(
  { principal, team }: Caller,
  who: "It" | "They",
  now: Pick<Rights, "abilities" | "hives" | "locales" | "review"> = { abilities: ["read"], hives: "all" },
): readonly FormField[] {
  return [
    {
      kind: "many",
      name: "abilities",
      label: `${who} may`,
      options: abilities.filter((ability) => allows(principal, ability)),
      chosen: now.abilities,
    },
    {
      kind: "many",
      name: "hives",
      label: "In these Hives",
      options: reachedOf(principal, team.hives),
      chosen: now.hives === "all" ? [] : now.hives,
      hint: "If you choose none: in all that you have access to.",
    },
    {
      name: "locales",
      label: "Only translate into these locales",
      placeholder: "fr, pt-BR",
      value: now.locales?.join(", "),
      hint: "Empty for all.",
    },
    {
      kind: "one",
      name: "review",
      label: `${who === "It" ? "Its" : "Their"} translations wait for a review`,
      value: now.review,
      options: [
        ["", principal.review === "always" ? "always, as your own" : "if a model has made them"],
        ["always", "always"],
        ...(principal.review === "always" ? [] : [["never", "never"] as const]),
      ],
    },
  ];
}

/** What the fields hold, as bodies of the API have it. */
export function rightsIn(form: Form) {
  const hives = form.all("hives");
  return {
    abilities: form.all("abilities"),
    hives: hives.length === 0 ? undefined : hives,
    locales: form.words("locales"),
    review: form.word("review"),
  };
}

/** The fields of a new token, within the rights of its maker. */
export function tokenFields(
  caller: Caller,
  hints: { readonly name: string; readonly expires: string },
): readonly FormField[] {
  return [
    { name: "name", label: "Name", hint: hints.name },
    ...rightsFields(caller, "It"),
    { name: "expires", label: "Ends on", type: "date", hint: hints.expires },
  ];
}

/** What the fields of a token hold, as bodies of the API have it. It ends with the chosen day. */
export function tokenIn(form: Form) {
  const expires = form.word("expires");
  return { name: form.word("name"), ...rightsIn(form), expires: expires && `${expires}T23:59:59Z` };
}
