import { describe, expect, it } from "vitest";
import { ClientError } from "../../src/client/api/client-error.ts";
import { withNotesIfTheyFit } from "../../src/client/notes.ts";

function contextWith(warnings: string[]) {
  const warn = (message: string) => void warnings.push(message);
  return { folder: "/", environment: {}, fault: () => {}, progress: () => {}, warn };
}

describe("notes of a push", () => {
  it("are left out where the request is too large with them, which is told", async () => {
    const warnings: string[] = [];
    const sent: boolean[] = [];
    const send = async (withNotes: boolean): Promise<string> => {
      sent.push(withNotes);
      if (withNotes) throw new ClientError("error", "too large", { status: 413 });
      return "done";
    };
    expect(await withNotesIfTheyFit(send, contextWith(warnings))).toBe("done");
    expect([sent, warnings]).toEqual([[true, false], [expect.stringContaining("were not sent")]]);
  });

  it("are no reason to try again after another error", async () => {
    let calls = 0;
    const send = async (): Promise<never> => {
      calls++;
      throw new ClientError("error", "no", { status: 422 });
    };
    await expect(withNotesIfTheyFit(send, contextWith([]))).rejects.toThrow("no");
    expect(calls).toBe(1);
  });
});
