/** Lines to copy into a terminal. */

/** A command; the script puts a button beside it that copies it. */
export function Command({ label, lines }: { readonly label: string; readonly lines: readonly string[] }) {
  return (
    <figure class="command">
      <figcaption>{label}</figcaption>
      <pre data-copy>
        <code>{lines.join("\n")}</code>
      </pre>
    </figure>
  );
}
