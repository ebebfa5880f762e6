/** Addresses at which there is nothing: what is said of them, and which one was perhaps meant. */
import { failure, type SkepError } from "../../domain/errors.ts";
import { excerpt } from "../../domain/text.ts";
import type { DescribedRoute } from "../openapi/route-docs.ts";

/**
 * The address that is meant by one where `/api` was forgotten, or came twice because a client puts it before each path
 * itself; undefined where there is none. A name with a dot is none of a Hive: git asks for `/hives/web.git`.
 * @param routes all that the API has.
 */
export function addressMeant(pathname: string, routes: readonly DescribedRoute[]): string | undefined {
  const meant = `/api${pathname.replace(/^(?:\/api)+(?=\/)/, "")}`;
  if (meant === pathname) return undefined;
  const isAddress = routes.some(({ path }) =>
    new RegExp(`^${path.replaceAll(".", String.raw`\.`).replaceAll(/:\w+/g, "[^/.]+")}/?$`).test(meant),
  );
  return isAddress ? meant : undefined;
}

/** The error for an address at which there is nothing: `not-found`, with where to look instead. */
export function nothingAt(pathname: string, routes: readonly DescribedRoute[]): SkepError {
  const meant = addressMeant(pathname, routes);
  const advice =
    meant === undefined
      ? "The API is below /api; /docs and /openapi.json describe it."
      : `Did you mean ${excerpt(meant)}?`;
  return failure("not-found", `There is nothing at this address. ${advice}`);
}
