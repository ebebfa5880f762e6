/** The keys of the page of work. */

const keys: readonly (readonly [keys: readonly string[], what: string])[] = [
  [["Ctrl", "Enter"], "save and go on"],
  [["Ctrl", "Alt", "Enter"], "approve and go on"],
  [["Ctrl", "S"], "save and stay"],
  [["Alt", "1…9"], "insert an argument"],
  [["Ctrl", "1…9"], "take a text of the memory; where the browser keeps that for itself, Alt + Shift + 1…9"],
  [["Alt", "C"], "copy the source text"],
  [["Alt", "↓"], "skip"],
  [["Alt", "↑"], "back"],
  [["?"], "show these keys, outside a field"],
];

export function Keys() {
  return (
    <details class="part" id="keys">
      <summary>Keys</summary>
      <dl class="keys">
        {keys.map(([combination, what]) => (
          <div>
            <dt>
              {combination.map((key, i) => (
                <>
                  {i > 0 && " + "}
                  <kbd>{key}</kbd>
                </>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
