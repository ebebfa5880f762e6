/** All pages and forms of the console, and the matching of requests to them. */
import { addRoute, createRouter, findRoute } from "rou3";
import { SkepError, failure } from "../../domain/errors.ts";
import { auditPages } from "./pages/audit.tsx";
import { branchPages } from "./pages/branches.tsx";
import { mergePages } from "./pages/merge.tsx";
import { commentPages } from "./pages/comments.tsx";
import { commitPages } from "./history/commit.tsx";
import { channelPages } from "./pages/channels.tsx";
import { newHivePages } from "./pages/new-hive.tsx";
import { settingsPages } from "./pages/settings.tsx";
import { historyPages } from "./history/history.tsx";
import { undoPages } from "./history/undo.tsx";
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

/** Of several paths that match an address, that with more fixed parts counts. */
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
  ...undoPages,
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

const router = createRouter<PageRoute>();
for (const route of routes) addRoute(router, methodOf(route), route.path, route);

/**
 * The page or form of a request, with the decoded parts of its path. Addresses are matched as h3 matches those of the API.
 * @throws SkepError `not-found`, `method-not-allowed`.
 */
export function findPage(
  method: string,
  pathname: string,
): { readonly route: PageRoute; readonly params: Readonly<Record<string, string>> } {
  const found = findRoute(router, method === "HEAD" ? "GET" : method, pathname);
  if (found !== undefined) {
    const parts = Object.entries(found.params ?? {});
    return {
      route: found.data,
      params: Object.fromEntries(parts.map(([name, part]) => [name, decoded(part)])),
    };
  }
  const allow = (["GET", "POST"] as const).filter((one) => findRoute(router, one, pathname) !== undefined);
  if (allow.length === 0) throw failure("not-found", "There is no page at this address.");
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
