/** The signals that end a process gracefully. A terminal or ssh session that is closed sends SIGHUP. */
export const endSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
