/** Tells the requests that would change something from those that only read. */
import { isForConsole } from "../requests/page-requests.ts";

const reading = new Set(["GET", "HEAD", "OPTIONS"]);
/** Git sends what it has and wants as a body. */
const fetchPath = /\/git-upload-pack$/;

/** Whether a program's request would change something. Forms of the console are not among them. */
export function isChange(request: Request, pathname: string): boolean {
  return !reading.has(request.method) && !fetchPath.test(pathname) && !isForConsole(request, pathname);
}
