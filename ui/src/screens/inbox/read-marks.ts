// Which messages of the built-in inbox were read. Pure; their numbers grow.
export type ReadMarks = {
  /** All up to this one. */
  upTo: number;
  /** Later ones. */
  read: readonly number[];
};

export const noneRead: ReadMarks = { upTo: 0, read: [] };

/** As many later ones are kept in mind. */
const maxKept = 1_000;

export const isUnread = ({ upTo, read }: ReadMarks, id: string): boolean =>
  Number(id) > upTo && !read.includes(Number(id));

export function withRead(marks: ReadMarks, id: string): ReadMarks {
  if (!isUnread(marks, id)) return marks;
  const read = [...marks.read, Number(id)].sort((a, b) => a - b);
  if (read.length <= maxKept) return { ...marks, read };
  // Of those before the oldest that is kept in mind, nothing is known any more.
  const [oldest = 0, ...others] = read;
  return { upTo: oldest, read: others };
}

/** @param newest the newest message there is */
export const withAllRead = (marks: ReadMarks, newest: string): ReadMarks => ({
  upTo: Math.max(marks.upTo, Number(newest)),
  read: marks.read.filter((id) => id > Number(newest)),
});
