/** What checks find in texts. */
import type { Child } from "hono/jsx";
import type { TextChecks } from "../../../domain/glossary/text-checks.ts";
import type { TextFault } from "../../../domain/errors.ts";
import { isInEnglish, t, textIn } from "../texts/texts.ts";
import { Code, Key, Name } from "./text.tsx";

export type ShownFinding = Pick<TextFault, "check" | "severity" | "message" | "found" | "expected">;

/** The text of a finding's kind on pages that are not in English, in which the check says it. */
function ownText({ check }: Pick<ShownFinding, "check">): string | undefined {
  return isInEnglish() ? undefined : textIn("check", check);
}

/** What a finding says as one line. */
export function findingLine(finding: Pick<ShownFinding, "check" | "message" | "found">): string {
  const own = ownText(finding);
  return own === undefined ? finding.message : [own, finding.found ?? ""].join(" ").trim();
}

/** What a finding says: the message of the check, which is in English; on other pages the text of its kind. */
function FindingText({ finding }: { finding: ShownFinding }) {
  const { message, found = "" } = finding;
  const own = ownText(finding);
  if (own === undefined) return <Name name={message} dir="ltr" />;
  return (
    <>
      {own}
      {found !== "" && (
        <>
          {" "}
          <Code name={found} />
        </>
      )}
    </>
  );
}

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
            <FindingText finding={finding} />
          </span>{" "}
          {finding.expected !== undefined && !saysItself(finding, finding.expected) && (
            <>{t("translation.expected", { expected: <Code name={finding.expected} /> })}</>
          )}
          {action?.(finding)}
        </li>
      ))}
    </ul>
  );
}

/** What checks find in the texts of a write, each with its place. */
export function FoundIn(props: {
  findings: { readonly listed: readonly TextFault[]; readonly total: number };
  isOpen?: boolean;
}) {
  const { findings, isOpen = false } = props;
  const { listed, total } = findings;
  return (
    <details class="found-in" open={isOpen}>
      <summary>{t("previewed.checks_find", { count: total })}</summary>
      <ul>
        {listed.map((finding) => (
          <li>
            <Code name={finding.locale} /> <Key name={finding.key} />{" "}
            <span class="file">
              <Name name={finding.file} />
            </span>
            <Findings findings={[finding]} />
          </li>
        ))}
      </ul>
      {total > listed.length && <p>{t("changes.and_more", { changes: total - listed.length })}</p>}
    </details>
  );
}

/** Whether what a finding says has the expected part. */
function saysItself({ message }: ShownFinding, expected: string): boolean {
  return isInEnglish() ? message.includes(expected) : expected === "";
}

/** The checks that found something in a translation, the worst first, each once: a line that says what to look for. */
export function FindingMarks({ findings }: { findings: readonly ShownFinding[] }) {
  const isError = ({ severity }: ShownFinding): boolean => severity === "error";
  const sorted = findings.toSorted((a, b) => Number(isError(b)) - Number(isError(a)));
  const worst = sorted.filter((one, i) => sorted.findIndex(({ check }) => check === one.check) === i);
  return worst.map((one) => (
    <>
      <span class={`mark small ${isError(one) ? "failing" : "stale"}`} lang="en">
        {one.check}
      </span>{" "}
    </>
  ));
}

/** The place where a script lists findings of checks while the user types. */
export function LiveFindings({ checks }: { checks: TextChecks }) {
  return <div class="findings" role="status" data-check={JSON.stringify(checks)} />;
}
