/** All pages and forms of the console, and the matching of requests to them. */
import { SkepError, failure } from "../../domain/errors.ts";
import { auditPages } from "./pages/audit.tsx";
import { branchPages } from "./pages/branches.tsx";
import { mergePages } from "./pages/merge.tsx";
import { commentPages } from "./pages/comments.tsx";
import { commitPages } from "./pages/commit.tsx";
import { channelPages } from "./pages/channels.tsx";
import { newHivePages } from "./pages/new-hive.tsx";
import { settingsPages } from "./pages/settings.tsx";
import { historyPages } from "./pages/history.tsx";
import { glossaryPages } from "./pages/glossary.tsx";
import { hivePages } from "./pages/hive.tsx";
import { accountPages } from "./people/account.tsx";
import { authorizePages } from "./people/authorize.tsx";
import { devicePages } from "./people/device.tsx";
import { forgottenPages } from "./people/forgotten.tsx";
import { inboxPages } from "./people/inbox.tsx";
import { invitationPages } from "./people/invitation.tsx";
import { mailPages } from "./people/mail.tsx";
import { providerPages } from "./people/provider.tsx";
import { peoplePages } from "./people/people.tsx";
import { signInPages } from "./people/sign-in.tsx";
import { homePages } from "./pages/home.tsx";
import { searchPages } from "./pages/search.tsx";
import { replacePages } from "./pages/replace.tsx";
import { selectionPages } from "./pages/selection.tsx";
import { figuresPages } from "./figures/figures.tsx";
import { exportPages } from "./exchange/export.tsx";
import { importPages } from "./exchange/import.tsx";
import { sourcePages } from "./source/source.tsx";
import { stringPages } from "./pages/string.tsx";
import { stringsPages } from "./pages/strings.tsx";
import { teamPages } from "./pages/team.tsx";
import { mirrorPages } from "./mirrors/mirrors.tsx";
import { enginePages } from "./pages/engines.tsx";
import { webhookPages } from "./pages/webhooks.tsx";
import { answerPages } from "./pages/answer.ts";
import { translatePages } from "./desk/translate.tsx";
import { managePicturePages } from "./pictures/manage.tsx";
import { picturePages } from "./pictures/pictures.tsx";
import type { PageRoute } from "./requests/page.ts";

/** If several paths match an address, the first one counts. */
export const routes: readonly PageRoute[] = [
  ...homePages,
  ...inboxPages,
  ...searchPages,
  ...signInPages,
  ...forgottenPages,
  ...providerPages,
  ...invitationPages,
  ...hivePages,
  ...stringsPages,
  ...replacePages,
  ...selectionPages,
  ...sourcePages,
  ...importPages,
  ...exportPages,
  ...figuresPages,
  ...stringPages,
  ...commentPages,
  ...managePicturePages,
  ...picturePages,
  ...translatePages,
  ...answerPages,
  ...glossaryPages,
  ...historyPages,
  ...commitPages,
  ...channelPages,
  ...settingsPages,
  ...newHivePages,
  ...branchPages,
  ...mergePages,
  ...teamPages,
  ...mirrorPages,
  ...accountPages,
  ...mailPages,
  ...devicePages,
  ...authorizePages,
  ...peoplePages,
  ...enginePages,
  ...webhookPages,
  ...auditPages,
];

const compiled = routes.map((route) => ({
  route,
  // A name with a plus may contain slashes, which people type unencoded.
  pattern: new RegExp(
    `^${route.path.replaceAll(/:(\w+)\+/g, "(?<$1>.+)").replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`,
  ),
}));

/**
 * The page or form of a request, with the decoded parts of its path.
 * @throws SkepError `not-found`, `method-not-allowed`.
 */
export function findRoute(
  method: string,
  pathname: string,
): { readonly route: PageRoute; readonly params: Readonly<Record<string, string>> } {
  const here = compiled.filter(({ pattern }) => pattern.test(pathname));
  const match = here.find(({ route }) => methodOf(route) === (method === "HEAD" ? "GET" : method));
  if (match !== undefined) {
    const parts = Object.entries(match.pattern.exec(pathname)?.groups ?? {});
    return {
      route: match.route,
      params: Object.fromEntries(parts.map(([name, part]) => [name, decoded(part)])),
    };
  }
  if (here.length === 0) throw failure("not-found", "There is no page at this address.");
  const allow = here.map(({ route }) => methodOf(route));
  throw new SkepError("method-not-allowed", "This address takes forms only; go back to the page before.", {
    allow,
  });
}

function methodOf({ kind }: PageRoute): "GET" | "POST" {
  return kind.endsWith("form") ? "POST" : "GET";
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw failure("malformed", "The address cannot be read.", { cause });
  }
}
