/** The fields of a token and of rights, within the rights of whoever grants them, and both as cells of a list. */
import {
  abilities,
  allows,
  reachedOf,
  type Rights,
  hasExpired,
  type Token,
} from "../../../domain/access/token.ts";
import type { Caller } from "../../../service/access.ts";
import type { Form } from "../requests/form.ts";
import type { FormField } from "../parts/fields.tsx";
import { Confirm } from "../parts/post-form.tsx";
import { t } from "../texts/texts.ts";
import type { Child } from "hono/jsx";
import { Code, Name, Day, Time } from "../parts/text.tsx";
import type { SignedInRequest } from "../requests/page.ts";

/**
 * The fields.
 * @param now what is granted now.
 */
export function rightsFields(
  { principal, team }: Caller,
  who: "it" | "they",
  now: Pick<Rights, "abilities" | "hives" | "locales" | "review"> = { abilities: ["read"], hives: "all" },
): readonly FormField[] {
  const isReviewed = principal.review === "always";
  const options = abilities.filter((ability) => allows(principal, ability));
  return [
    { kind: "many", name: "abilities", label: t(`rights-fields.${who}_may`), options, chosen: now.abilities },
    {
      kind: "many",
      name: "hives",
      options: reachedOf(principal, team.hives),
      chosen: now.hives === "all" ? [] : now.hives,
    },
    { name: "locales", placeholder: "fr, pt-BR", value: now.locales?.join(", ") },
    {
      kind: "one",
      name: "review",
      label: t(`rights-fields.${who}_wait`),
      value: now.review,
      all: t(isReviewed ? "rights-fields.always_as_your_own" : "rights-fields.if_a_model_has_made"),
      options: isReviewed ? ["always"] : ["always", "never"],
    },
  ];
}

/** The rights that a form chooses, unchecked; without Hives, they are for all. */
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
export function tokenFields(caller: Caller): readonly FormField[] {
  return [{ name: "name" }, ...rightsFields(caller, "it"), { name: "expires", type: "date" }];
}

/** What the fields of a token hold, as bodies of the API have it. It ends with the chosen day. */
export function tokenIn(form: Form) {
  const expires = form.word("expires");
  return { name: form.word("name"), ...rightsIn(form), expires: expires && `${expires}T23:59:59Z` };
}

export const tokenColumns = ["token", "may", "hives", "made", "last_used", "ends"] as const;

/** What a token or a person may do, and in which Hives. */
export function rightsCells(
  { link }: Pick<SignedInRequest, "link">,
  rights: Pick<Rights, "abilities" | "locales" | "hives">,
): readonly Child[] {
  const { locales, hives } = rights;
  const may = rights.abilities.join(", ");
  return [
    locales === undefined ? may : `${may}, ${t("common.only_into", { locales: locales.join(", ") })}`,
    hives === "all"
      ? t("common.all_of_them")
      : hives.map((slug, i) => (
          <>
            {i > 0 && ", "}
            <Name name={slug} href={link(["hives", slug])} />
          </>
        )),
  ];
}

/** The cells of a token in a list of tokens. @param used the day of its last use. */
export function tokenCells(request: SignedInRequest, token: Token, used: string | undefined) {
  const { id, name, person, created, expires } = token;
  return [
    <>
      {name !== undefined && <Name name={name} />} <Code name={id} />
      {person !== undefined && <> {t("token-cells.of", { person: <Name name={person} /> })}</>}
    </>,
    ...rightsCells(request, token),
    <Time seconds={Date.parse(created) / 1000} />,
    used === undefined ? t("token-cells.never_seen") : <Day seconds={Date.parse(used) / 1000} />,
    expires === undefined ? (
      t("token-cells.never")
    ) : (
      <>
        {hasExpired(token, request.storage.now()) && `${t("token-cells.ended")} `}
        <Day seconds={Date.parse(expires) / 1000} />
      </>
    ),
  ];
}

/** The button that revokes a token. @param props.children what else explains it. */
export function Revoke(props: {
  of: "team/tokens/revoke" | "account/tokens/revoke";
  token: Token;
  children?: Child;
}) {
  const { of, token, children } = props;
  const { id, name = id } = token;
  const button = t("common.revoke_2", { name });
  return (
    <Confirm of={of} label={t("common.revoke")} what={name} button={button} hidden={{ token: id }}>
      {children}
    </Confirm>
  );
}
