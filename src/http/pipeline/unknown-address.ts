/** Errors for unknown addresses, with a suggestion of the address that was probably meant. */
import { failure, type SkepError } from "../../domain/errors.ts";
import { excerpt } from "../../domain/text.ts";
import type { DescribedRoute } from "../openapi/route-docs.ts";

/**
 * The probably meant address, if `/api` is missing, or repeated because the client adds it itself. A slug has no dots:
 * `/hives/web.git` is a repository.
 * @param routes all routes of the API.
 */
export function suggestAddress(pathname: string, routes: readonly DescribedRoute[]): string | undefined {
  const meant = `/api${pathname.replace(/^(?:\/api)+(?=\/)/, "")}`;
  if (meant === pathname) return undefined;
  const isAddress = routes.some(({ path }) =>
    new RegExp(`^${path.replaceAll(".", String.raw`\.`).replaceAll(/:\w+/g, "[^/.]+")}/?$`).test(meant),
  );
  return isAddress ? meant : undefined;
}

/** The error `not-found` for an unknown address, with a hint where to look instead. */
export function unknownAddress(pathname: string, routes: readonly DescribedRoute[]): SkepError {
  const meant = suggestAddress(pathname, routes);
  const advice =
    meant === undefined
      ? "The API is below /api; /docs and /openapi.json describe it."
      : `Did you mean ${excerpt(meant)}?`;
  return failure("not-found", `There is nothing at this address. ${advice}`);
}
