/** What is wrong with where things stand on a page: it is measured where the page is shown, all of it at once. */
import type { Page } from "playwright-core";
import { targetFaults, widthFaults } from "./faults.ts";

/** The least height of a row, in pixels of CSS: of lists, and of tables, which are dense. */
const leastRow = { list: 44, table: 24 };

/** The least space between two frames: the first step of the scale in the styles. */
const leastSpace = 4;

/** What all of the measures below use. Scaled screens have fractions of pixels. */
const helpers = `
  const tolerance = 1;
  const nameOf = (element) => {
    const names = [];
    for (let at = element; at !== null && names.length < 3 && at.tagName !== "BODY"; at = at.parentElement)
      names.unshift(at.tagName.toLowerCase() + (at.id === "" ? "" : "#" + at.id) + Array.from(at.classList, (each) => "." + each).join(""));
    return names.join(" > ") + ' "' + element.textContent.replace(/\\s+/g, " ").trim().slice(0, 60) + '"';
  };
  const outside = ".visually-hidden, .skip, svg";
  const isVisible = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.closest(outside) !== null) return false;
    // Heads that narrow screens leave to screen readers.
    const head = element.closest("thead");
    return head === null || getComputedStyle(head).position !== "absolute";
  };
  /** Nothing changes while it is measured. */
  const once = (find) => {
    const found = new Map();
    return (element) => {
      if (!found.has(element)) found.set(element, find(element));
      return found.get(element);
    };
  };
  const isShown = once(isVisible);
  const styleOf = once((element) => getComputedStyle(element));
  const clips = (overflow) => overflow !== "visible";
  /** What lies around an element and may scroll, or cut it: where it lies, and in which directions. */
  const clipsAround = once((element) => {
    if (element === null || element === document.documentElement) return [];
    const { overflowX, overflowY, display } = styleOf(element);
    const around = clipsAround(element.parentElement);
    if (display === "inline" || (overflowX === "visible" && overflowY === "visible")) return around;
    return [{ box: element.getBoundingClientRect(), x: clips(overflowX), y: clips(overflowY) }, ...around];
  });
  /** The part of a rectangle that is seen: what lies around it may scroll, or be cut. */
  const seen = ({ left, top, right, bottom }, element) => {
    const part = { left, top, right, bottom };
    for (const { box, x, y } of clipsAround(element)) {
      if (x) [part.left, part.right] = [Math.max(part.left, box.left), Math.min(part.right, box.right)];
      if (y) [part.top, part.bottom] = [Math.max(part.top, box.top), Math.min(part.bottom, box.bottom)];
    }
    return part;
  };
  const isThere = ({ left, top, right, bottom }) => right - left > tolerance && bottom - top > tolerance;
  /** The lines of the texts of a page that are seen, each with the element that it stands in. */
  const lines = (() => {
    const found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (texts.nextNode() !== null) {
      const { currentNode: node } = texts;
      const element = node.parentElement;
      if (node.data.trim() === "" || /^(SCRIPT|STYLE|TITLE|OPTION|TEXTAREA)$/.test(element.tagName) || !isShown(element)) continue;
      range.selectNodeContents(node);
      for (const rectangle of range.getClientRects()) {
        const box = seen(rectangle, element);
        if (isThere(box)) found.push({ element, box });
      }
    }
    return found;
  })();
`;

/**
 * Texts of which a part is not seen, and cannot be read elsewhere: an ellipsis says that there is more, a title or a
 * way to open it has the rest.
 */
const cutTexts = `(() => {
  const faults = [];
  /** What one reads where the text is cut: a title, or what opens it. */
  const isReachable = (element) => {
    const shown = element.cloneNode(true);
    for (const each of shown.querySelectorAll(".visually-hidden")) each.remove();
    const text = shown.textContent.trim();
    const hasTitle = (each) => each !== null && (each.title ?? "").trim().length >= text.length;
    return hasTitle(element.closest("[title]")) || Array.from(element.querySelectorAll("[title]")).some(hasTitle)
      || element.closest(".long")?.querySelector(":scope > .more") != null;
  };
  for (const element of document.querySelectorAll("body *")) {
    if (!isShown(element) || element.textContent.trim() === "" || element.matches("select, option, textarea, input")) continue;
    const { overflowX, overflowY, display } = styleOf(element);
    if (display === "inline" || display === "contents" || element.clientWidth === 0) continue;
    const over = [element.scrollWidth - element.clientWidth, element.scrollHeight - element.clientHeight];
    const isHidden = (overflow) => overflow === "hidden" || overflow === "clip";
    const cut = isHidden(overflowX) && over[0] > tolerance ? over[0] : isHidden(overflowY) && over[1] > tolerance ? over[1] : 0;
    if (cut > 0 && !isReachable(element)) faults.push("cut by " + cut + ": " + nameOf(element));
  }
  return faults;
})()`;

/** Choices whose name is cut in the field that shows it: with an ellipsis, one opens the list to read it. */
const cutChoices = `(() => {
  const context = document.createElement("canvas").getContext("2d");
  // What the browser draws at the end.
  const arrow = 16;
  return Array.from(document.querySelectorAll("select")).filter(isShown).flatMap((select) => {
    const { font, paddingLeft, paddingRight, textOverflow } = styleOf(select);
    if (textOverflow === "ellipsis") return [];
    context.font = font;
    const room = select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - arrow;
    const cut = context.measureText(select.selectedOptions[0]?.text ?? "").width - room;
    return cut > tolerance ? ["choice cut by " + cut.toFixed(1) + ": " + select.name + " " + select.selectedOptions[0].text] : [];
  });
})()`;

/**
 * Examples and names in empty fields that end where the field does. With an ellipsis, a few words are enough where a field has
 * not been given their length, or the screen is small.
 */
const cutPlaceholders = `(() => {
  const context = document.createElement("canvas").getContext("2d");
  return Array.from(document.querySelectorAll("input[placeholder]")).filter(isShown).flatMap((input) => {
    const { font, paddingLeft, paddingRight, textOverflow } = styleOf(input);
    if (input.value !== "") return [];
    context.font = font;
    const room = input.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    const { width } = context.measureText(input.placeholder);
    const isSized = input.hasAttribute("size") && innerWidth > 640;
    const isEnough = textOverflow === "ellipsis" && !isSized && room > 64;
    const cut = width - room;
    return cut > tolerance && !isEnough ? ["placeholder cut by " + cut.toFixed(1) + ": " + input.name + " " + input.placeholder] : [];
  });
})()`;

/** Texts that stand out of what they stand in: of a button, a row, a card, a cell. */
const spilledTexts = `lines.flatMap(({ element, box }) => {
  let around = element;
  const isSurface = ({ display, borderLeftWidth, backgroundColor }) =>
    display !== "inline" && (parseFloat(borderLeftWidth) > 0 || backgroundColor !== "rgba(0, 0, 0, 0)");
  while (around !== document.body && !isSurface(styleOf(around))) around = around.parentElement;
  const { left, right, top, bottom } = around.getBoundingClientRect();
  const out = Math.max(left - box.left, box.right - right, around === document.body ? 0 : Math.max(top - box.top, box.bottom - bottom));
  return out > tolerance ? ["stands out by " + out.toFixed(1) + " of " + nameOf(around) + ": " + nameOf(element)] : [];
})`;

/**
 * Lines of text, and what is pressed, that lie over one another. A menu that is open, and a bar that stays in sight, lie over
 * what is below by design: each is compared with what lies as high as it does.
 */
const overlaps = `(() => {
  const layerOf = once((element) => {
    if (element === null) return null;
    const { position, zIndex } = styleOf(element);
    return zIndex !== "auto" && position !== "static" ? element : layerOf(element.parentElement);
  });
  const targets = Array.from(document.querySelectorAll("a[href], button, summary, select, textarea, input:not([type=hidden])"))
    .filter(isShown)
    .flatMap((element) => Array.from(element.getClientRects(), (rectangle) => ({ element, box: seen(rectangle, element) })))
    .filter(({ box }) => isThere(box));
  const over = (what, all) => {
    const faults = [];
    const sorted = all.map((each) => ({ ...each, layer: layerOf(each.element) })).toSorted((a, b) => a.box.top - b.box.top);
    for (const [index, one] of sorted.entries()) {
      for (let next = index + 1; next < sorted.length && sorted[next].box.top < one.box.bottom - tolerance; next++) {
        const other = sorted[next];
        if (one.layer !== other.layer || one.element.contains(other.element) || other.element.contains(one.element)) continue;
        const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const height = Math.min(one.box.bottom, other.box.bottom) - other.box.top;
        if (Math.min(width, height) > 2 * tolerance)
          faults.push(what + " overlap by " + width.toFixed(1) + " x " + height.toFixed(1) + ": " + nameOf(one.element) + " and " + nameOf(other.element));
      }
    }
    return faults;
  };
  /** Frames that almost touch look like one that is broken. */
  const crowded = () => {
    const frames = Array.from(document.querySelectorAll("body *"))
      .filter((element) => {
        const { borderTopWidth, borderBottomWidth, borderTopColor, display } = styleOf(element);
        const isFramed = parseFloat(borderTopWidth) > 0 && parseFloat(borderBottomWidth) > 0;
        return isFramed && display !== "inline" && borderTopColor !== "rgba(0, 0, 0, 0)" && isShown(element);
      })
      .map((element) => ({ element, box: element.getBoundingClientRect(), layer: layerOf(element) }))
      .toSorted((a, b) => a.box.top - b.box.top);
    return frames.flatMap((one, index) =>
      frames.slice(index + 1).flatMap((other) => {
        if (one.layer !== other.layer || one.element.contains(other.element)) return [];
        const down = other.box.top - one.box.bottom;
        const across = Math.max(one.box.left, other.box.left) - Math.min(one.box.right, other.box.right);
        const apart = Math.max(down, across);
        const isBeside = Math.min(down, across) < 0;
        return isBeside && apart < ${leastSpace} - 0.1 ? ["only " + apart.toFixed(1) + " apart: " + nameOf(one.element) + " and " + nameOf(other.element)] : [];
      }));
  };
  return [...over("texts", lines), ...over("targets", targets), ...crowded()];
})()`;

/** Cells that do not stand below the heads of their columns, and rows of one list whose columns begin elsewhere. */
const columns = `(() => {
  const faults = [];
  for (const table of document.querySelectorAll("table")) {
    const heads = Array.from(table.tHead?.rows[0]?.cells ?? []);
    if (heads.length === 0 || !isShown(table.tHead)) continue;
    for (const cell of table.querySelectorAll("tbody > tr > *")) {
      const head = heads[cell.cellIndex];
      if (head === undefined || cell.colSpan > 1) continue;
      const [of, to] = [cell.getBoundingClientRect(), head.getBoundingClientRect()];
      const off = Math.max(Math.abs(of.left - to.left), Math.abs(of.right - to.right));
      if (off > tolerance) faults.push("off its head by " + off.toFixed(1) + ": " + nameOf(cell));
      if (styleOf(cell).textAlign !== styleOf(head).textAlign && head.textContent.trim() !== "" && cell.textContent.trim() !== "")
        faults.push("aligned " + styleOf(cell).textAlign + " below a head that is " + styleOf(head).textAlign + ": " + nameOf(cell));
    }
    for (const { element, box } of lines) {
      const cell = element.closest("tbody > tr > *");
      if (cell === null || !table.contains(cell) || cell.colSpan > 1) continue;
      const head = heads[cell.cellIndex]?.getBoundingClientRect();
      const off = head === undefined ? 0 : Math.max(head.left - box.left, box.right - head.right);
      if (off > tolerance) faults.push("out of its column by " + off.toFixed(1) + ": " + nameOf(element));
    }
  }
  for (const list of document.querySelectorAll("ul, ol, dl")) {
    const starts = new Map();
    for (const row of list.children) {
      if (styleOf(row).display !== "grid" || !isShown(row)) continue;
      const cells = new Map();
      for (const cell of row.children) {
        const kind = cell.tagName + "." + cell.className;
        cells.set(kind, (cells.get(kind) ?? 0) + 1);
        const column = kind + cells.get(kind);
        const { position, display } = styleOf(cell);
        if (!isShown(cell) || position === "absolute" || display === "inline") continue;
        const left = cell.getBoundingClientRect().left - row.getBoundingClientRect().left;
        const first = starts.get(column) ?? starts.set(column, left).get(column);
        if (Math.abs(left - first) > tolerance) faults.push("off its column by " + (left - first).toFixed(1) + ": " + nameOf(cell));
      }
    }
  }
  return faults;
})()`;

/** Rows that are too low to be told apart, or hit. */
const lowRows = `[[".strings > li, .commits > li, .cards > li", ${leastRow.list}], ["tbody > tr", ${leastRow.table}]].flatMap(([rows, least]) =>
  Array.from(document.querySelectorAll(rows)).filter(isShown).flatMap((row) => {
    const { height } = row.getBoundingClientRect();
    return height >= least - 0.1 ? [] : ["row of " + height.toFixed(1) + " and not " + least + ": " + nameOf(row)];
  }))`;

/** Buttons whose words go on in another line. Names may be longer than a button is wide, and some scripts write no blanks. */
const brokenWords = `(() => {
  const words = /(?:(?![\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\u30fc])[\\p{L}\\p{M}\\p{N}])+/gu;
  const faults = [];
  for (const button of document.querySelectorAll("button, .button, summary")) {
    if (!isShown(button)) continue;
    const texts = document.createTreeWalker(button, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (texts.nextNode() !== null) {
      const { currentNode: node } = texts;
      if (node.parentElement.closest("bdi, code, .visually-hidden") !== null) continue;
      for (const { 0: word, index } of node.data.matchAll(words)) {
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const tops = Array.from(range.getClientRects(), ({ top }) => top);
        if (Math.max(...tops) - Math.min(...tops) > 4) faults.push("word in two lines: " + word + " of " + nameOf(button));
      }
    }
  }
  return faults;
})()`;

/** Texts of which a line has no more than a letter or two: something beside them leaves no room. */
const letterColumns = `(() => {
  // Parts of one line in another direction are as high.
  const heights = new Map();
  for (const { element, box } of lines) heights.set(element, (heights.get(element) ?? new Set()).add(Math.round(box.top / 8)));
  return [...heights].flatMap(([element, { size: count }]) => {
    const { length } = element.textContent.trim();
    return count > 2 && element.children.length === 0 && length < 3 * count ? ["one letter a line: " + nameOf(element)] : [];
  });
})()`;

const measured = `(() => {
  ${helpers}
  return [${[cutTexts, cutChoices, cutPlaceholders, spilledTexts, overlaps, columns, lowRows, brokenWords, letterColumns].map((each) => `...${each}`).join(", ")}];
})()`;

/** What is too wide, cut, too small or too low, lies over something else, or stands beside its column. */
export async function layoutFaults(page: Page): Promise<readonly string[]> {
  const found: readonly (readonly string[])[] = await Promise.all([
    widthFaults(page),
    targetFaults(page),
    page.evaluate<readonly string[]>(measured),
  ]);
  return found.flat();
}
