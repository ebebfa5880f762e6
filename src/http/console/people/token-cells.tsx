/** A token as a row of a list. */
import { hasExpired, type Token } from "../../../domain/access/token.ts";
import { Code, Name } from "../parts/text.tsx";
import { Day, Time } from "../parts/time.tsx";
import type { SignedInRequest } from "../requests/page.ts";

export const tokenColumns = ["Token", "May", "Hives", "Made", "Last used", "Ends"];

/** The cells of a token in a list. */
export function tokenCells({ storage }: SignedInRequest, token: Token, used: string | undefined) {
  const { id, name, person, hives, locales, created, expires } = token;
  return [
    <>
      {name !== undefined && <Name name={name} />} <Code name={id} />
      {person !== undefined && (
        <>
          {" "}
          of <Name name={person} />
        </>
      )}
    </>,
    `${token.abilities.join(", ")}${locales === undefined ? "" : ` into ${locales.join(", ")} alone`}`,
    hives === "all" ? "all" : <Name name={hives.join(", ")} />,
    <Time seconds={Date.parse(created) / 1000} />,
    used === undefined ? "never seen" : <Day seconds={Date.parse(used) / 1000} />,
    expires === undefined ? (
      "never"
    ) : (
      <>
        {hasExpired(token, storage.now()) && "ended "}
        <Day seconds={Date.parse(expires) / 1000} />
      </>
    ),
  ];
}
