/** The signals that end a process in order. A terminal or an ssh session that is closed sends the last one. */
export const endSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
