/** Somebody who is invited by mail, and mailed what others did: the built server, a mail server, and a browser. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { freePort } from "../../deploy/proxy.ts";
import { eventually } from "../../helpers/eventually.ts";
import { linkIn } from "../../helpers/mail/mailing.ts";
import { partOf, startMailServer } from "../../helpers/mail/mail-server.ts";
import { acmeStorage, createToken, french, request, startServer } from "../../helpers/process.ts";
import { isMissing, openInChromium } from "./browser.ts";
import { faultsOf } from "./faults.ts";

const anna = { id: "anna", name: "Anna", mail: "anna@example.org", role: "reviewer", invite_by_mail: true };

describe.skipIf(isMissing("chromium"))("a person with a mail address", () => {
  it("is invited by mail, confirms it, is sent a digest, ends digests, and chooses another password", async () => {
    const { url: smtp, mails } = await startMailServer();
    const storage = await acmeStorage({ web: french });
    const token = await createToken(storage, ["admin"]);
    const url = `http://localhost:${await freePort()}`;
    const from = ["--smtp-url", smtp.href, "--mail-from", "Skep <skep@example.org>"];
    await startServer(storage, "--port", new URL(url).port, "--public-url", url, ...from);
    const send = (path: string, body: object, method = "POST") => request({ url }, token, method, path, body);
    const files = { "a.json": { open: "Open <b>it</b>" } };
    await send("/api/hives/web/strings", { files });
    expect((await send("/api/people", anna)).status).toBe(201);
    /** The link in the mail of a number. */
    const linkOf = async (number: number, path: string): Promise<string> => {
      await eventually(() => expect(mails).toHaveLength(number));
      const [mail = expect.fail()] = mails.slice(-1);
      expect(mail.to).toEqual(["anna@example.org"]);
      return url + linkIn({ text: partOf(mail, "text/plain") }, path, url);
    };
    const page = await openInChromium();
    const faults: Record<string, readonly string[]> = {};
    const look = async (name: string): Promise<void> => void (faults[name] = await faultsOf(page));
    const choose = async (password: string): Promise<void> => {
      await page.getByLabel("Choose a password").fill(password);
      await page.getByRole("button", { name: "Save and sign in" }).click();
      await page.getByRole("heading", { name: "Hives" }).waitFor();
    };

    await page.goto(await linkOf(1, "/invitation"));
    await choose("twelve letters");
    await page.goto(`${url}/account`);
    await page.getByRole("button", { name: "Mail me the link" }).click();
    await page.goto(await linkOf(2, "/account/mail"));
    await look("confirm");
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("Mails reach you at anna@example.org").waitFor();
    await page.getByLabel("Mail me what is new in my inbox").selectOption("daily");
    await page.locator("form[action$='account/mail'] button").click();
    await page.getByText("Saved.").waitFor();
    await look("account");

    await comment(page, `${url}/hives/web/strings/a.json/open`, "Is this a verb?");
    await send("/api/hives/web/comments", { file: "a.json", key: "open", text: "A <i>verb</i>" });
    await page.goto(`${url}/inbox`);
    await page.getByText("where you had").waitFor();
    await look("inbox");
    await page.getByRole("button", { name: "Mark all as read" }).click();
    await page.getByText("Marked as read.").waitFor();
    await page.goto(`${url}/account`);
    await page.getByRole("button", { name: "Send one now" }).click();
    const end = await linkOf(3, "/unsubscribe");
    expect(partOf(mails[2] ?? expect.fail(), "text/plain")).toContain("1 to translate");

    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("link", { name: "Forgotten password?" }).click();
    await page.getByLabel("User name").fill("anna");
    await look("forgotten");
    await page.getByRole("button", { name: "Mail me a link" }).click();
    await page.getByText("a link is on its way").waitFor();
    await page.goto(end);
    await look("unsubscribe");
    await page.getByRole("button", { name: "End them" }).click();
    await page.getByText("No more digests are sent").waitFor();
    await page.goto(await linkOf(4, "/invitation"));
    await choose("another dozen");
    expect(Object.entries(faults).filter(([, found]) => found.length > 0)).toEqual([]);
  });
});

async function comment(page: Page, at: string, text: string): Promise<void> {
  await page.goto(at);
  await page.locator("#comments summary").click();
  await page.locator("#comments textarea").first().fill(text);
  await page.locator("#comments").getByRole("button", { name: "Comment", exact: true }).click();
  await page.locator("#comments .said", { hasText: text }).waitFor({ state: "attached" });
}
