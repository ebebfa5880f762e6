/** What a token or a person may do, as cells of a list. */
import { hasExpired, type Rights, type Token } from "../../../domain/access/token.ts";
import { comma, t } from "../texts/texts.ts";
import type { Child } from "hono/jsx";
import { Code, Name, Day, Time } from "../parts/text.tsx";
import type { SignedInRequest } from "../requests/page.ts";

export const tokenColumns = ["token", "may", "hives", "made", "last_used", "ends"] as const;

/**
 * What a token or a person may do, and in which Hives.
 * @param role the name of the abilities, if they have one.
 */
export function rightsCells(
  { link }: Pick<SignedInRequest, "link">,
  rights: Pick<Rights, "abilities" | "locales" | "hives">,
  role?: string,
): readonly Child[] {
  const { locales, hives } = rights;
  const may = role ?? rights.abilities.map((one) => t(`option.abilities.${one}`)).join(comma());
  return [
    locales === undefined
      ? may
      : `${may}${comma()}${t("common.only_into", { locales: locales.join(comma()) })}`,
    hives === "all"
      ? t("common.all_of_them")
      : hives.map((slug, i) => (
          <>
            {i > 0 && comma()}
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
