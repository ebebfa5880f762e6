/** Questions about strings and their answers, which all who translate into some language may give. */
import { isSameMember } from "./note-changes.ts";
import { members, type TeamNote } from "./note.ts";

/**
 * Whether a change of the team's note is a question or an answer alone: a question comes to those that are there, or is
 * answered by what is added to the note. Nothing that others have said is lost, but for the answered question.
 */
export function isDiscussion(before: TeamNote | undefined, after: TeamNote | undefined): boolean {
  const others = members.filter((member) => member !== "ask" && member !== "note");
  if (!others.every((member) => isSameMember(member, before, after))) return false;
  const question = before?.ask;
  const isAnswered = !isSameMember("note", before, after);
  if (isAnswered && (question === undefined || !isAddedTo(before?.note, after?.note))) return false;
  return (
    question === undefined || isAddedTo(question, after?.ask) || (isAnswered && after?.ask === undefined)
  );
}

/** Whether a text is another, or begins with it. */
function isAddedTo(before: string | undefined = "", after: string | undefined = ""): boolean {
  return after === before || after.startsWith(before === "" ? before : `${before}\n`);
}
