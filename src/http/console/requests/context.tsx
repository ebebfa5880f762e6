/** What components find without being given it: who reads the page, and the Hive that it is about. */
import { createContext, useContext, type PropsWithChildren } from "hono/jsx";
import type { HiveBranch } from "../../../domain/commits/branch-name.ts";
import type { Session } from "../../../service/sessions.ts";
import type { Link } from "./links.ts";
import type { HiveRequest, PageResult } from "./page.ts";

interface Reader {
  readonly link: Link;
  readonly session: Session | undefined;
}

const readerContext = createContext<Reader | undefined>(undefined);
const hiveContext = createContext<HiveRequest | undefined>(undefined);

/** The frame of a page, in which components find who reads it. */
export function ForReader({ link, session, children }: PropsWithChildren<Reader>) {
  return <readerContext.Provider value={{ link, session }}>{children}</readerContext.Provider>;
}

/** The links of a page, and the session of whoever is signed in. @throws Error on a page that is open to all. */
export function useReader(): Reader & { readonly session: Session } {
  const { link, session } = useContext(readerContext) ?? {};
  if (link === undefined || session === undefined) throw new Error("nobody is signed in on this page");
  return { link, session };
}

/** A result whose components find the Hive of a request. */
export function forHive(request: HiveRequest, result: PageResult): PageResult {
  if (!("body" in result)) return result;
  return { ...result, body: <hiveContext.Provider value={request}>{result.body}</hiveContext.Provider> };
}

/** The request for a page of a Hive. @throws Error on other pages. */
export function useHive(): HiveRequest {
  const request = useContext(hiveContext);
  if (request === undefined) throw new Error("this page is not about a Hive");
  return request;
}

/** The branch of a page of a Hive. */
export function useBranch(): HiveBranch | undefined {
  return useContext(hiveContext)?.branch;
}

/** Makes the links of a page: of a Hive's page below the Hive. */
export function useLink(): Link {
  const { link } = useReader();
  return useContext(hiveContext)?.hiveLink ?? link;
}
