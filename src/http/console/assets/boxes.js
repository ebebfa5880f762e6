/** Boxes around strings in pictures: drawn by a pointer, beside the numbers of their form, which say the same. */

const sides = /** @type {const} */ (["x", "y", "width", "height"]);
/** What is smaller was a click, in pixels of the screen. */
const leastDrawn = 4;

/** Lets somebody draw where the numbers of a form can be written; both follow each other. */
export function drawBoxes() {
  for (const picture of document.querySelectorAll("[data-draws]")) {
    const form = document.querySelector(`form[action="${picture.getAttribute("data-draws") ?? ""}"]`);
    if (picture instanceof HTMLElement && form instanceof HTMLFormElement) drawIn(picture, form);
  }
}

function within(/** @type {number} */ part, /** @type {number} */ most) {
  return Math.round(Math.min(1, Math.max(0, part)) * most);
}

function drawIn(/** @type {HTMLElement} */ picture, /** @type {HTMLFormElement} */ form) {
  const svg = picture.querySelector("svg");
  const frame = svg?.querySelector(".drawn");
  const fields = sides
    .map((side) => form.elements.namedItem(side))
    .filter((field) => field instanceof HTMLInputElement);
  if (svg == null || frame == null || fields.length < sides.length) return;
  const values = () => fields.map(({ value }) => value);
  const show = () => {
    for (const [i, side] of sides.entries())
      frame.setAttribute(side, String(Math.max(0, Number(values()[i]))));
  };
  const fill = (/** @type {readonly (string | number)[]} */ box) => {
    for (const [i, field] of fields.entries()) field.value = String(box[i]);
    show();
  };
  /** Where a pointer is, in pixels of the picture. */
  const placeOf = (/** @type {PointerEvent} */ { clientX, clientY }) => {
    const { left, top, width, height } = svg.getBoundingClientRect();
    const { width: across, height: down } = svg.viewBox.baseVal;
    return [within((clientX - left) / width, across), within((clientY - top) / height, down)];
  };
  /** @type {{ from: PointerEvent, before: readonly string[] } | undefined} */
  let drawing;
  const end = (/** @type {boolean} */ isMeant) => {
    if (drawing === undefined) return;
    if (!isMeant) fill(drawing.before);
    else fields[0]?.dispatchEvent(new Event("input", { bubbles: true }));
    drawing = undefined;
  };
  picture.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    event.preventDefault();
    picture.setPointerCapture(event.pointerId);
    drawing = { from: event, before: values() };
  });
  picture.addEventListener("pointermove", (event) => {
    if (drawing === undefined) return;
    const [[x = 0, y = 0], [toX = 0, toY = 0]] = [placeOf(drawing.from), placeOf(event)];
    fill([Math.min(x, toX), Math.min(y, toY), Math.abs(toX - x), Math.abs(toY - y)]);
  });
  picture.addEventListener("pointerup", ({ clientX, clientY }) => {
    if (drawing === undefined) return;
    const { from } = drawing;
    end(Math.min(Math.abs(clientX - from.clientX), Math.abs(clientY - from.clientY)) >= leastDrawn);
  });
  picture.addEventListener("pointercancel", () => end(false));
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") end(false);
  });
  form.addEventListener("input", show);
  show();
}
