/** Persons and rights as JSON has them, over HTTP and on the command line. */
import type { Person } from "../../../domain/access/person.ts";
import type { Rights } from "../../../domain/access/token.ts";
import type { PersonResponse } from "./people-schemas.ts";

/** What a token or a person may do, as responses say it. */
export function toRightsResponse({ abilities, hives, locales, review }: Rights) {
  return {
    abilities: [...abilities],
    hives: hives === "all" ? hives : [...hives],
    locales: locales === undefined ? null : [...locales],
    review: review ?? null,
  };
}

/** A person, without what they sign in with. */
export function toPersonResponse(person: Person, now: number): PersonResponse {
  const { id, name, mail, disabled, created, removed, invitation } = person;
  const isOpen = invitation !== undefined && Date.parse(invitation.ends) > now;
  return {
    id,
    name,
    mail: mail ?? null,
    ...toRightsResponse(person),
    disabled,
    sign_in: [
      ...(person.password === undefined ? [] : (["password"] as const)),
      ...(person.passkeys.length === 0 ? [] : (["passkey"] as const)),
      ...(person.identity === undefined ? [] : (["oidc"] as const)),
    ],
    invited_until: isOpen ? invitation.ends : null,
    created,
    removed: removed ?? null,
  };
}
