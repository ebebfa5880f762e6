/** Errors for unknown addresses, with a suggestion of the address that was probably meant. */
import { failure, type SkepError } from "../../domain/errors.ts";
import { excerpt } from "../../domain/text.ts";
import type { DescribedRoute } from "../openapi/route-docs.ts";

/** Finds the address that is probably meant by one where nothing is; undefined when there is none. */
type SuggestAddress = (pathname: string) => string | undefined;

/**
 * Suggests addresses where `/api` is missing, or repeated because the client adds it itself. A slug has no dots:
 * `/hives/web.git` is a repository.
 * @param routes all routes of the API.
 */
export function suggestionsFrom(routes: readonly DescribedRoute[]): SuggestAddress {
  const paths = routes.map(({ path }) => path.replaceAll(".", String.raw`\.`).replaceAll(/:\w+/g, "[^/.]+"));
  const address = new RegExp(`^(?:${paths.join("|")})/?$`);
  return (pathname) => {
    const meant = `/api${pathname.replace(/^(?:\/api)+(?=\/)/, "")}`;
    return meant !== pathname && address.test(meant) ? meant : undefined;
  };
}

/** The error `not-found` for an unknown address, with a hint where to look instead. */
export function unknownAddress(meant: string | undefined): SkepError {
  const advice =
    meant === undefined
      ? "The API is below /api; /docs and /openapi.json describe it."
      : `Did you mean ${excerpt(meant)}?`;
  return failure("not-found", `There is nothing at this address. ${advice}`);
}
