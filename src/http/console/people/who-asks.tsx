/** Says which program asks for a token, and in whose name it would work. */
import type { Child } from "hono/jsx";
import { Name } from "../parts/text.tsx";
import type { TeamRequest } from "../requests/page.ts";

/**
 * @param props.says makes the sentence, with the name of the person who is signed in.
 * @param props.warning what to look at before one allows it.
 */
export function WhoAsks(props: {
  session: TeamRequest["session"];
  says: (own: Child) => Child;
  warning: Child;
}) {
  const { session, says, warning } = props;
  const { name = "" } = session.caller.principal;
  const own = (
    <strong>
      <Name name={name} />
    </strong>
  );
  return (
    <>
      <p>{says(own)}</p>
      <p class="notice warn">{warning}</p>
    </>
  );
}

/** What a program calls itself, or its machine. @param instead of a name that is empty. */
export function AskingName({ name, instead }: { name: string; instead: string }) {
  return <Name name={name === "" ? instead : name} />;
}
