/** Browsers as people call them, in place of what they send. */
import { parse } from "bowser";
import { attributeText, Name } from "../parts/text.tsx";
import { t } from "../texts/texts.ts";

/**
 * What a `User-Agent` names, without versions: these change while a session lasts, and browsers send those of systems that are
 * long gone.
 * @returns the text itself, and no system, where it names no browser that is known.
 */
function readAgent(agent: string): { readonly browser: string; readonly system: string } {
  // The library throws for an empty text.
  const { browser, os } = agent === "" ? { browser: {}, os: {} } : parse(agent);
  return browser.name ? { browser: browser.name, system: os.name ?? "" } : { browser: agent, system: "" };
}

/** The name of a browser for a label. @param agent its `User-Agent`; empty where it has sent none. */
export function browserName(agent: string): string {
  const { browser, system } = readAgent(agent);
  if (browser === "") return t("account.unknown_browser");
  return system === "" ? browser : t("account.browser_on", { browser, system });
}

/** A browser by its name, such as “Firefox on Linux”, with all that it has sent as its title. */
export function Browser({ agent }: { agent: string }) {
  const { browser, system } = readAgent(agent);
  if (browser === "") return <>{t("account.unknown_browser")}</>;
  const name = <Name name={browser} />;
  return (
    <span title={attributeText(agent)}>
      {system === "" ? name : t("account.browser_on", { browser: name, system: <Name name={system} /> })}
    </span>
  );
}
