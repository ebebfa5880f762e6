/** The pages of one Hive that its tabs lead to. */

export interface HiveTab {
  readonly name: string;
  /** Below the Hive's own address. */
  readonly path: readonly string[];
}

/** In their order. A page says by {@link View.tab} which of them it belongs to. */
export const hiveTabs: readonly HiveTab[] = [
  { name: "Overview", path: [] },
  { name: "Strings", path: ["strings"] },
  { name: "History", path: ["history"] },
  { name: "Branches", path: ["branches"] },
  { name: "Compare", path: ["compare"] },
];
