/** A string that is marked in a picture: drawn with a pointer, or by numbers. */
import { beforeEach, describe, expect, it } from "vitest";
import { createToken, request, type Served } from "../../helpers/process.ts";
import { isMissing, lookWith, openIn } from "./browser.ts";
import { withTexts } from "./texts.ts";

let server: Served;
let token: string;

beforeEach(async () => {
  const made = await withTexts();
  ({ server } = made);
  token = await createToken(made.storage);
});

const boxes = async (): Promise<unknown> => {
  const { json } = await request(server, token, "GET", "/api/hives/web/pictures");
  return json.data.map((picture: { boxes: unknown }) => picture.boxes);
};

describe.each(["chromium", "firefox"] as const)("marking a string in a picture in %s", (name) => {
  // Without scripts, Firefox cannot be told to write.
  const kinds = name === "firefox" ? [true] : [true, false];
  it.skipIf(isMissing(name)).each(kinds)(
    "is a form with a picture beside it; scripts run: %s",
    async (hasScript) => {
      const page = await openIn(name, lookWith(hasScript, 1440));
      const at = "hives/web/pictures?file=auth.json&key=out";
      await page.goto(`${server.url}/?to=${encodeURIComponent(at)}`);
      const buffer = await page.screenshot({ clip: { x: 0, y: 0, width: 400, height: 300 } });
      await page.getByLabel("Token").fill(token);
      await page.keyboard.press("Enter");
      await page
        .locator('input[type="file"]')
        .setInputFiles({ name: "menu.png", mimeType: "image/png", buffer });
      await page.getByRole("button", { name: "Add" }).click();
      await page.waitForURL("**/pictures/box?*");
      const numbers = ["From the left, in pixels", "From the top, in pixels", "Width", "Height"];
      const written = () => Promise.all(numbers.map((label) => page.getByLabel(label).inputValue()));
      if (hasScript) {
        const {
          x = 0,
          y = 0,
          width = 1,
          height = 1,
        } = (await page.locator("[data-draws]").boundingBox()) ?? {};
        const scale = { x: width / 400, y: height / 300 };
        const point = async (
          left: number,
          top: number,
          act: "move" | "down" | "up" = "move",
        ): Promise<void> => {
          await page.mouse.move(x + left * scale.x, y + top * scale.y);
          if (act !== "move") await page.mouse[act]();
        };
        // Escape takes back what is being drawn, and a click draws nothing.
        await point(10, 10, "down");
        await point(50, 50);
        await expect.poll(written).not.toContain("");
        await page.keyboard.press("Escape");
        await page.mouse.up();
        await page.mouse.down();
        await page.mouse.up();
        expect(await written()).toEqual(["", "", "", ""]);
        // From the lower right, and beyond the edge.
        await point(120, 90, "down");
        await point(60, 40);
        await point(20, 30, "up");
        await expect.poll(written).toEqual(["20", "30", "100", "60"]);
        await page.getByLabel("Width").press("Control+a");
        await page.keyboard.type("110");
        expect(await page.locator("rect.drawn").getAttribute("width")).toBe("110");
      } else {
        await page.getByText("Draw a frame").waitFor({ state: "hidden" });
        for (const [i, value] of ["20", "30", "110", "60"].entries())
          await page.getByLabel(numbers[i] ?? "").fill(value);
      }
      await page.getByRole("button", { name: "Save" }).click();
      await page.waitForURL("**/strings/auth.json/out");
      expect(await boxes()).toEqual([[{ string: "auth.json:out", x: 20, y: 30, width: 110, height: 60 }]]);
      await page.locator(".picture rect").waitFor();
    },
  );
});
