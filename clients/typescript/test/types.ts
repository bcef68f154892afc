// What the type checker says of calls. Each `@ts-expect-error` stands where it has to complain.

import { answer, commonmind, rows, type components } from "../src/index.js";

export async function calls(): Promise<void> {
  const client = commonmind({ url: "http://localhost", key: "k" });
  const made: components["schemas"]["Remembered"] = await answer(
    client.POST("/api/v1/memories", { body: { content: "x", group: "launch" } }),
  );
  const id: string = made.id;
  const found = await answer(client.POST("/api/v1/recall", { body: { query: id, limit: 3 } }));
  const score: number | undefined = found.results[0]?.score;
  for await (const memory of rows((query) => answer(client.GET("/api/v1/memories", { params: { query } })))) {
    const text: string = memory.content;
    console.log(text, score);
  }
  await answer(client.GET("/api/v1/memories/{memory_id}", { params: { path: { memory_id: id } } }));
  // @ts-expect-error: a number
  await client.POST("/api/v1/recall", { body: { query: "x", limit: "3" } });
  // @ts-expect-error: it is needed
  await client.POST("/api/v1/recall", { body: {} });
  // @ts-expect-error: there is no such address
  await client.GET("/api/v1/no-such-thing");
  // @ts-expect-error: it is none of the strategies
  await client.POST("/api/v1/recall", { body: { query: "x", strategy: "fastest" } });
  // @ts-expect-error: an answer of a recall has no hits
  found.hits;
}
