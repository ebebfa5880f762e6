/** What happens to keys that main and a branch changed differently: nothing is merged, or one of them wins. */
export const conflictStrategies = ["fail", "main", "branch"] as const;
export type ConflictStrategy = (typeof conflictStrategies)[number];
