/** Takes pictures of an app in a test with Playwright, for `skep picture create --list shots/shots.json`. */
import { mkdirSync, writeFileSync } from "node:fs";

const shots = [];

/** Takes a picture of what can be seen of a page, with a box for each element that names its string. */
export async function shoot(page, name, strings) {
  const { width, height } = page.viewportSize();
  const boxes = [];
  for (const element of await page.locator("[data-string]").all()) {
    const box = await element.boundingBox();
    const [x, y, w, h] = box === null ? [] : [box.x, box.y, box.width, box.height].map(Math.floor);
    if (x >= 0 && y >= 0 && x + w <= width && y + h <= height)
      boxes.push({ string: await element.getAttribute("data-string"), x, y, width: w, height: h });
  }
  mkdirSync("shots", { recursive: true });
  await page.screenshot({ path: `shots/${name}.jpeg`, type: "jpeg", quality: 70 });
  shots.push({ file: `${name}.jpeg`, strings, boxes });
  writeFileSync("shots/shots.json", JSON.stringify(shots));
}
