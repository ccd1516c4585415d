// Which lists a choice offers: those that are not hidden, and those chosen already. Where all are hidden, all of them.

type Row = { id: string; hidden: boolean };

export function offeredLists<L extends Row>(lists: readonly L[], chosen: readonly string[] = []): L[] {
  const offered = lists.filter(({ id, hidden }) => !hidden || chosen.includes(id));
  return offered.length === 0 ? [...lists] : offered;
}
