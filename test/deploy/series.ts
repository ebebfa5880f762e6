/** What Prometheus reads from the metrics of a server. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Parses the text that Prometheus scrapes. @throws Error for a line that is none of it. */
export function parseSeries(text: string): readonly Sample[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", labels = "", value = ""] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === "") throw new Error(`no series: ${line}`);
      return {
        name,
        labels: Object.fromEntries(
          [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = "", held = ""]) => [label, held]),
        ),
        value: Number(value.replace("Inf", "Infinity")),
      };
    });
}
