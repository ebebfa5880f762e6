/** What the implementation of a type of engines does. */
import type { Engine } from "../../domain/engines/engine.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { SendOutgoing } from "../outgoing-request.ts";

export interface EngineCall {
  readonly engine: Engine;
  /** Its key, wherever that is stored. */
  readonly key: string | undefined;
  readonly send: SendOutgoing;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly from: LocaleCode;
  readonly to: LocaleCode;
}

/** One string for an engine that takes instructions. Everything in it is data. */
export interface InstructedItem {
  /** Of this request alone. */
  readonly id: number;
  readonly forms: readonly { readonly form: string; readonly source: string; readonly example?: number }[];
  readonly [context: string]: unknown;
}

export interface InstructedRequest {
  readonly locale: string;
  readonly source_locale: string;
  readonly style: string;
  readonly items: readonly InstructedItem[];
}

interface Answered {
  /** As the engine names it; undefined where it does not. */
  readonly model: string | undefined;
  /** As the engine counts them; 0 where it does not. */
  readonly tokens: number;
}

export interface TextsAnswer extends Answered {
  /** In the order of the request; another number of them is a fault of the engine. */
  readonly texts: readonly string[];
}

export interface ItemsAnswer extends Answered {
  /** Texts by form, by the id of their item. The first answer to an id counts, others' count nothing. */
  readonly items: ReadonlyMap<number, ReadonlyMap<string, string>>;
}

/** A type: one file each. All throw EngineFailure, and the reason of the signal where that was aborted. */
export type EngineKind =
  | {
      /** Translates XML fragments, each by itself: see `markedText`. */
      readonly translateTexts: (call: EngineCall, texts: readonly string[]) => Promise<TextsAnswer>;
    }
  | {
      readonly translateItems: (call: EngineCall, request: InstructedRequest) => Promise<ItemsAnswer>;
    };
