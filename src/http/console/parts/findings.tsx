/** What checks find in texts. */
import type { Child } from "hono/jsx";
import type { TextChecks } from "../../../domain/glossary/text-checks.ts";
import type { TextFault } from "../../../domain/errors.ts";
import { t } from "../texts/texts.ts";
import { Code, Name } from "./text.tsx";

export type ShownFinding = Pick<TextFault, "check" | "severity" | "message" | "expected">;

/**
 * The findings of checks in a translation, each with the faulty part and the expected one.
 * @param props.action the button of a finding.
 */
export function Findings(props: {
  findings: readonly ShownFinding[];
  action?: (finding: ShownFinding) => Child;
}) {
  const { findings, action } = props;
  if (findings.length === 0) return null;
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <li>
          <span class={`mark ${finding.severity === "error" ? "failing" : "stale"}`}>
            <Name name={finding.message} dir="ltr" />
          </span>{" "}
          {finding.expected !== undefined && !finding.message.includes(finding.expected) && (
            <>{t("translation.expected", { expected: <Code name={finding.expected} /> })}</>
          )}
          {action?.(finding)}
        </li>
      ))}
    </ul>
  );
}

/** The place where a script lists findings of checks while the user types. */
export function LiveFindings({ checks }: { checks: TextChecks }) {
  return <div class="findings" role="status" data-check={JSON.stringify(checks)} />;
}
