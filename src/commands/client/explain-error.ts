/** Reports the errors of client commands: in one line, and in GitHub Actions as an annotation. */
import { relative } from "node:path";
import { exitCodes, type ClientError } from "../../client/api/client-error.ts";
import { printable } from "../output/print.ts";

/** The line and the exit code for an error that ends a command. */
export function explainClientError(
  { message, kind, position }: ClientError,
  environment: NodeJS.ProcessEnv = process.env,
): { readonly line: string; readonly code: number } {
  const code = exitCodes[kind];
  const text = printable(
    position === undefined ? message : withShortPath(message, position.file, process.cwd()),
  );
  if (environment.GITHUB_ACTIONS !== "true") return { line: `skep: ${text}`, code };
  const { GITHUB_WORKSPACE: workspace = process.cwd() } = environment;
  const place = position && {
    file: relative(workspace, position.file),
    line: position.line,
    col: position.line === undefined ? undefined : position.column,
  };
  const properties = Object.entries(place ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return {
    line: `::error${properties.length === 0 ? "" : ` ${properties.join(",")}`}::${escapeData(text)}`,
    code,
  };
}

function withShortPath(message: string, file: string, folder: string): string {
  const short = relative(folder, file);
  return message.startsWith(file) && !short.startsWith("..") ? short + message.slice(file.length) : message;
}

/** Escapes the text of an annotation of GitHub Actions. */
export function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Escapes a property of an annotation, such as its file. */
export function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
