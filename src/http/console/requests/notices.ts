/**
 * Notices about the form that was just sent. The redirect after a form sets a cookie with the name of the notice, so
 * that the next page shows it once, and addresses that people share do not contain it.
 */

/** All notices by name. */
export const notices = {
  written: "Saved as a commit, which you can undo.",
  repeated: "Used for the other strings with this text, too: one commit, which you can undo.",
  confirmed: "Confirmed for the current source text.",
  accepted: "Accepted as a false alarm until the text or its source text changes.",
  asked: "Asked: the string waits for an answer.",
  "approved-some": "Some were approved, and others not: they are other texts by now, or your own.",
  "nothing-selected": "Nothing was done: no text was selected.",
  approved: "Approved by a commit, which you can undo.",
  rejected: "Rejected: the last approved text is stored again, or none if there was none.",
  "reviewed-before": "Nothing was done: the text no longer waits for a review.",
  "review-changed": "Nothing was done: the text has been changed since you saw it. This is the present one.",
  removed: "Removed by a commit, which you can undo.",
  unchanged: "Nothing was saved: the stored text is the same.",
  "unchanged-stale":
    "Nothing was saved: the stored text is the same. If it is right for the changed source text, confirm it with “Still right”.",
  "undo-changed": "Nothing was undone: the string or a translation of it has been changed since that commit.",
  undone: "Undone by this commit, which you can undo, too.",
  merged: "Merged by this commit, which you can undo.",
  "merged-kept": "Merged by this commit. The branch could not be deleted.",
  updated: "Updated with the changes of main.",
  restored: "Restored, without its mirrors and without the access of tokens that were limited to it.",
  saved: "Saved.",
  created: "Created.",
  deleted: "Deleted.",
  "hive-deleted": "Deleted. The Hive can be restored for 30 days.",
  "branch-deleted": "Deleted. The branch can be restored for 30 days.",
  tagged: "Tagged.",
  "session-ended": "Ended.",
  "person-removed": "Removed, with all tokens and sessions.",
  "device-allowed": "Allowed. The program has its token within seconds.",
  "device-refused": "Refused. The program gets nothing.",
  revoked: "Revoked. Nobody can use this token any more.",
} as const satisfies Readonly<Record<string, string>>;

export type NoticeName = keyof typeof notices;

const cookieName = "skep-notice";
const attributes = "Path=/; HttpOnly; SameSite=Strict";

/** The `Set-Cookie` header that makes the next page show a notice. */
export function noticeCookie(name: NoticeName): string {
  return `${cookieName}=${name}; Max-Age=60; ${attributes}`;
}

/** The `Set-Cookie` header that removes a shown notice. */
export const saidNotice = `${cookieName}=; Max-Age=0; ${attributes}`;

/** The notice in the cookies of a request. */
export function noticeIn(cookies: ReadonlyMap<string, string>): string | undefined {
  const name = cookies.get(cookieName);
  return Object.entries(notices).find(([known]) => known === name)?.[1];
}
