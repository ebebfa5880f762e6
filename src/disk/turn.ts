/** Turns of the event loop, so that requests that arrived together share one look at the disk. */

let turn = 0;
let isEnding = false;

/**
 * A number that is the same until the event loop has handled everything that had arrived. What was looked at in a
 * turn was therefore looked at after the requests of that turn were sent.
 */
export function currentTurn(): number {
  if (!isEnding) {
    isEnding = true;
    setImmediate(endTurn);
  }
  return turn;
}

function endTurn(): void {
  isEnding = false;
  turn++;
}
