/**
 * What a page says of what has just been done. The page before sends the browser on with a cookie that names it, so that
 * it is said once, and not by the addresses that people send to each other.
 */

/** All notices by name. */
export const notices = {
  written: "Saved by a commit of its own, which can be undone.",
  confirmed: "Confirmed as right for the present source text.",
  accepted: "Accepted as a false alarm until the text or its source text changes.",
  removed: "Removed by a commit of its own, which can be undone.",
  unchanged: "Nothing was saved: the text is already as you sent it.",
  "unchanged-stale":
    "Nothing was saved: the text is already as you sent it. If it is right for the changed source text, confirm it with “Still right”.",
  undone: "Undone by this commit, which can itself be undone.",
  merged: "Merged by this commit, which can be undone.",
  "merged-kept": "Merged by this commit. The branch could not be deleted.",
  updated: "Brought up to date with main.",
  restored: "Restored. Its mirrors, and the reach of tokens limited to it, are not.",
  saved: "Saved.",
  created: "Created.",
  deleted: "Deleted.",
  "hive-deleted": "Deleted. The Hive can be restored for 30 days.",
  "branch-deleted": "Deleted. The branch can be restored for 30 days.",
  tagged: "Tagged.",
  revoked: "Revoked. Nobody can use this token any more.",
} as const satisfies Readonly<Record<string, string>>;

export type NoticeName = keyof typeof notices;

const cookieName = "skep-notice";
const attributes = "Path=/; HttpOnly; SameSite=Strict";

/** The `Set-Cookie` header that has the next page say something. */
export function noticeCookie(name: NoticeName): string {
  return `${cookieName}=${name}; Max-Age=60; ${attributes}`;
}

/** The `Set-Cookie` header after a page has said it. */
export const saidNotice = `${cookieName}=; Max-Age=0; ${attributes}`;

/** The notice that a browser comes with. */
export function noticeIn(cookies: ReadonlyMap<string, string>): string | undefined {
  const name = cookies.get(cookieName);
  return Object.entries(notices).find(([known]) => known === name)?.[1];
}
