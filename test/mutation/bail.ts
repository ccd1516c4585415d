// A reporter that ends the process at the first failed test: one is enough to detect a change.
export default async function* bail(events: AsyncIterable<{ type: string }>): AsyncGenerator<string> {
  for await (const { type } of events) {
    if (type === 'test:fail') process.exit(1);
    yield '';
  }
}
