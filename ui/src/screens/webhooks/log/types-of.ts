// The event types in the body of a request, each once. A body in the list is cut, so it may be no valid JSON.

export function typesOf(body: string): string[] {
  const classic = /^\{"hook":"([a-z._]+)"/.exec(body)?.[1];
  if (classic) return [classic];
  return [...new Set([...body.matchAll(/\{"type":"([a-z._]+)","data":/g)].map(([, type]) => type!))];
}
