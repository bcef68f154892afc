// Against a running server (COMMONMIND_URL, COMMONMIND_KEY), and a scripted one. Ends with an error if anything differs.

import assert from "node:assert/strict";

import {
  answer,
  commonmind,
  ConfigurationError,
  RefusedError,
  rows,
  UnavailableError,
  UnexpectedAnswerError,
} from "../dist/index.js";

const url = process.env.COMMONMIND_URL;
const key = `  ${process.env.COMMONMIND_KEY}\r\n`;
const client = commonmind({ url: `${url}/api/v1/`, key });

// --- remember, recall, lists, problems ---
const made = await answer(client.POST("/api/v1/memories", { body: { content: "The office closes at six." } }));
assert.equal(made.status, "active");
const found = await answer(
  client.POST("/api/v1/recall", { body: { query: "When does the office close?", strategy: "keyword" } }),
);
assert.equal(found.results[0].id, made.id);
for (let number = 0; number < 4; number += 1) {
  await answer(client.POST("/api/v1/memories", { body: { content: `Number ${number}.` } }));
}
const texts = [];
for await (const memory of rows((query) =>
  answer(client.GET("/api/v1/memories", { params: { query: { ...query, limit: 2 } } })),
)) {
  texts.push(memory.content);
}
assert.equal(texts.length, 5);
assert.equal(texts.at(-1), "The office closes at six.");
await assert.rejects(
  answer(client.POST("/api/v1/recall", { body: { query: "x", limit: 5000 } })),
  (error) => error instanceof RefusedError && error.code === "invalid" && error.problem.errors[0].field === "limit",
);
await assert.rejects(
  answer(commonmind({ url, key: "cmk_unknown" }).GET("/api/v1/me")),
  (error) => error instanceof RefusedError && error.status === 401,
);
assert.equal(await answer(client.DELETE("/api/v1/memories/{memory_id}", { params: { path: { memory_id: made.id } } })), undefined);

// --- the same key is the same call ---
const once = { headers: { "Idempotency-Key": "mine" }, body: { content: "Only once." } };
const [first, second] = [await client.POST("/api/v1/memories", once), await client.POST("/api/v1/memories", once)];
assert.deepEqual(first.data, second.data);
assert.equal(second.response.headers.get("Idempotency-Replayed"), "true");

// --- what is sent again, and what is no answer ---
function scripted(...steps) {
  const sent = [];
  const fetch = async (request) => {
    sent.push(request);
    const step = steps.length > 1 ? steps.shift() : steps[0];
    if (step instanceof Error) throw step;
    return step.clone();
  };
  return { sent, client: commonmind({ url: "http://localhost:1", key, fetch, retries: 2 }) };
}
const json = (status, body, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/problem+json", ...headers } });
const me = (one) => answer(one.GET("/api/v1/me"));
const busy = json(429, { type: "urn:commonmind:problem:too-many" }, { "Retry-After": "0" });

const again = scripted(new TypeError("fetch failed"), busy, json(201, { id: "m" }));
assert.equal((await answer(again.client.POST("/api/v1/memories", { body: { content: "x" } }))).id, "m");
const keys = again.sent.map((request) => request.headers.get("Idempotency-Key"));
assert.equal(keys.length, 3);
assert.equal(new Set(keys).size, 1);
assert.ok(again.sent.every((request) => request.redirect === "manual"));
assert.equal(again.sent[0].headers.get("Authorization"), `Bearer ${key.trim()}`);

for (const [step, kind, times] of [
  [new TypeError("fetch failed"), UnavailableError, 3],
  [busy, RefusedError, 3],
  [json(503, { type: "urn:commonmind:problem:out-of-time" }), RefusedError, 1],
  [json(429, { type: "urn:commonmind:problem:too-many" }, { "Retry-After": "3600" }), RefusedError, 1],
  [new Response("<h1>nginx</h1>", { headers: { "Content-Type": "text/html" } }), UnexpectedAnswerError, 1],
  [new Response('{"a":', { headers: { "Content-Type": "application/json" } }), UnexpectedAnswerError, 1],
  [new Response(null, { status: 307, headers: { Location: "https://evil.example" } }), UnexpectedAnswerError, 1],
]) {
  const server = scripted(step);
  await assert.rejects(me(server.client), kind);
  assert.equal(server.sent.length, times);
}
await assert.rejects(
  me(commonmind({ url: "http://localhost:1", key, retries: 0, timeout: 50, fetch: hang })),
  UnavailableError,
);
function hang(request) {
  // A timer of AbortSignal keeps no process alive.
  setTimeout(() => {}, 1000);
  return new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)));
}
const page = async () => ({ results: [1], next: "https://evil.example/?cursor=same" });
await assert.rejects(Array.fromAsync ? Array.fromAsync(rows(page)) : collect(rows(page)), UnexpectedAnswerError);
async function collect(iterator) {
  for await (const _ of iterator);
}
for (const wrong of ["a b", "", "k\nX: y", "clé"]) {
  assert.throws(() => commonmind({ url, key: wrong }), ConfigurationError);
}
for (const wrong of ["localhost:8000", "ftp://x", "http://u:p@localhost", ""]) {
  assert.throws(() => commonmind({ url: wrong, key }), ConfigurationError);
}
console.log("all as it should be");
