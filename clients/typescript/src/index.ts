/**
 * The client of Commonmind, shared memory for AI agents and the people they work for.
 *
 * Addresses, fields and answers are typed by the OpenAPI description (`description.ts`, generated). Here is what the
 * description does not say: the key, what is sent again, what an error is, how a list goes on.
 */

import createClient, { type Client } from "openapi-fetch";

import type { components, paths } from "./description.js";

export type { components, paths };
export type Commonmind = Client<paths, "application/json">;
export type Problem = components["schemas"]["Problem"];

export interface Options {
  /** The address of the server, without /api/v1. */
  url: string;
  /** The key of a robot. Blanks and line ends around it are taken off. */
  key: string;
  /** Milliseconds for one attempt, to the end of the answer. */
  timeout?: number;
  /** Further attempts after the first. */
  retries?: number;
  /** A Retry-After above it, in milliseconds, is not waited for. */
  longestWait?: number;
  /** What sends a request; for tests. */
  fetch?: (request: Request) => Promise<Response>;
}

/** The base of all errors here. */
export class CommonmindError extends Error {}

/** The address or the key cannot be used; nothing was sent. */
export class ConfigurationError extends CommonmindError {}

/** The server does not answer: it is away, hangs, or a proxy answers in its place. */
export class UnavailableError extends CommonmindError {}

/** What answers is no Commonmind: a page, a redirect, something that is no JSON. */
export class UnexpectedAnswerError extends CommonmindError {}

/** The server answered with a problem (RFC 9457). */
export class RefusedError extends CommonmindError {
  /** The stable last part of the problem's type, such as `not-found`. */
  readonly code: string;

  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    const code = String(problem.type ?? "").replace("urn:commonmind:problem:", "");
    super(`${status} ${code}: ${problem.detail ?? problem.title ?? ""}`);
    this.code = code;
  }
}

const RETRIED = new Set([408, 429, 502, 503, 504]);

/** A client: `client.POST("/api/v1/recall", { body: { query } })`. Wrap a call in `answer` to get its answer alone. */
export function commonmind(options: Options): Commonmind {
  const url = cleanUrl(options.url);
  const key = options.key.trim();
  if (!/^[\x21-\x7e]{1,500}$/.test(key)) {
    throw new ConfigurationError("This is no key: it is empty, or holds blanks, line ends or other letters.");
  }
  if (url.protocol === "http:" && !isLocal(url.hostname)) {
    console.warn(`${url.origin} is neither local nor https: the key and all texts go over the network in plain.`);
  }
  return createClient<paths, "application/json">({
    baseUrl: url.href.replace(/\/+$/, ""),
    headers: { Authorization: `Bearer ${key}`, Accept: "application/json" },
    fetch: (request: Request) => send(request, options),
  });
}

function cleanUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw new ConfigurationError("This is no address; one begins with https:// or http://.");
  }
  if (!["http:", "https:"].includes(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new ConfigurationError("This is no address of a server.");
  }
  url.pathname = url.pathname.replace(/(\/api(\/v1)?)?\/*$/, "");
  return url;
}

function isLocal(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
}

/** Send a request until it is answered; all attempts of a change have the same Idempotency-Key. */
async function send(request: Request, options: Options): Promise<Response> {
  const { timeout = 45_000, retries = 3, longestWait = 60_000, fetch: attempt = fetch } = options;
  const headers = new Headers(request.headers);
  // A superuser's calls take none: there is no organisation in which it could be kept.
  const keyed = request.method !== "GET" && !new URL(request.url).pathname.includes("/api/v1/organisations");
  if (keyed && !headers.has("Idempotency-Key")) {
    headers.set("Idempotency-Key", crypto.randomUUID());
  }
  for (let count = 0; ; count += 1) {
    const last = count >= retries;
    const ended = AbortSignal.any([request.signal, AbortSignal.timeout(timeout)]);
    let response: Response;
    try {
      // No redirect is followed: the key goes to its own server alone.
      const once = new Request(request.clone(), { headers, redirect: "manual", signal: ended });
      response = await whole(await attempt(once));
    } catch (error) {
      request.signal.throwIfAborted();
      // A server that hangs is asked once more, and not for minutes.
      if (last || (ended.aborted && count > 0)) {
        throw new UnavailableError(`The server cannot be reached: ${(error as Error).message}`, { cause: error });
      }
      await pause(backoff(count), request.signal);
      continue;
    }
    const wait = await waitAfter(response, count);
    if (last || wait === undefined || wait > longestWait) {
      return checked(response);
    }
    await pause(wait, request.signal);
  }
}

/** The answer with its body, read to its end. */
async function whole(response: Response): Promise<Response> {
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    return response;
  }
  const body = await response.arrayBuffer();
  const init = { status: response.status, headers: response.headers };
  return new Response(body.byteLength > 0 ? body : null, init);
}

/** Milliseconds before the next attempt; undefined if there should be none. */
async function waitAfter(response: Response, count: number): Promise<number | undefined> {
  const code = isJson(response) && response.status >= 400 ? await problemCode(response.clone()) : "";
  if (code === "out-of-time" || (!RETRIED.has(response.status) && code !== "still-running")) {
    return undefined;
  }
  const asked = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return asked >= 0 ? asked * 1000 + Math.random() * 250 : backoff(count);
}

async function problemCode(response: Response): Promise<string> {
  try {
    const problem = (await response.json()) as Partial<Problem> | null;
    return String(problem?.type ?? "").replace("urn:commonmind:problem:", "");
  } catch {
    return "";
  }
}

function isJson(response: Response): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(response.headers.get("Content-Type") ?? "");
}

/** The answer, if it is one of Commonmind. */
function checked(response: Response): Response {
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    throw new UnexpectedAnswerError("The server redirects. The key is not sent there; use the right address.");
  }
  if (response.body === null || isJson(response)) {
    return response;
  }
  if (RETRIED.has(response.status)) {
    throw new UnavailableError(`The server is not available: ${response.status} without a reason.`);
  }
  throw new UnexpectedAnswerError(`This is no answer of Commonmind: ${response.status}. Is the address right?`);
}

function backoff(count: number): number {
  return Math.min(8000, 500 * 2 ** count) * (0.5 + Math.random() / 2);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

/** What a call was answered. Throws a RefusedError with the problem if it was refused. */
export async function answer<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  let found: { data?: T; error?: unknown; response: Response };
  try {
    found = await call;
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new UnexpectedAnswerError("The answer is no JSON.", { cause: error });
    }
    throw error;
  }
  if (!found.response.ok) {
    const problem = typeof found.error === "object" && found.error !== null ? found.error : {};
    throw new RefusedError(found.response.status, problem as Problem);
  }
  return found.data as T;
}

/**
 * The rows of a list, page by page:
 * `rows((cursor) => answer(client.GET("/api/v1/memories", { params: { query: cursor } })))`.
 */
export async function* rows<T>(
  page: (query: { cursor?: string }) => Promise<{ results: T[]; next: string | null }>,
): AsyncGenerator<T> {
  let query: { cursor?: string } = {};
  for (;;) {
    const { results, next } = await page(query);
    yield* results;
    if (next === null) {
      return;
    }
    // Only the cursor is taken: the host of `next` is where a proxy sends the server's calls.
    const cursor = new URL(next, "http://localhost").searchParams.get("cursor");
    if (cursor === null || cursor === query.cursor) {
      throw new UnexpectedAnswerError("The list has a next page and does not say where it begins.");
    }
    query = { cursor };
  }
}
