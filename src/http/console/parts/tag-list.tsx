/** Tags, with links to the changes since each. */
import type { Tag } from "../../../service/content/tags.ts";
import type { Link } from "../requests/links.ts";
import { Facts } from "./facts.tsx";
import { Name } from "./text.tsx";
import { Time } from "./time.tsx";

/** @param props.hiveLink makes links relative to the page of the list. */
export function TagList({ tags, hiveLink }: { readonly tags: readonly Tag[]; readonly hiveLink: Link }) {
  return (
    <ul class="commits">
      {tags.map(({ name, commit, time, message, tagger }) => (
        <li>
          <div class="heading">
            <a class="subject" href={hiveLink(["history", commit])}>
              <Name name={name} />
            </a>
            <Facts
              items={[
                tagger !== undefined && <Name name={tagger.name} />,
                time !== undefined && <Time seconds={time} />,
                <a href={hiveLink(["compare", `${name}...main`])}>
                  what changed since <span class="visually-hidden">{name}</span>
                </a>,
              ]}
            />
          </div>
          {message !== undefined && message !== "" && (
            <p class="message">
              <Name name={message} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
