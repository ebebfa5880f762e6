/** The breadcrumb of the pages of a Hive. */
import type { HiveRequest, Step } from "../requests/page.ts";

/** The Hive, its branch where that is not main, and the pages between it and the page. */
export function hiveSteps(
  { hive, branch, link, hiveLink }: HiveRequest,
  ...between: readonly Step[]
): readonly Step[] {
  const main: Step = { label: hive.slug, href: link(["hives", hive.slug]) };
  const ofBranch = typeof branch === "string" ? [] : [{ label: branch.branch, href: hiveLink([]) }];
  return [main, ...ofBranch, ...between];
}
