// The short words in the corner, by kind.

export type UndoOptions = {
  text: string;
  /** 10 when not given. */
  seconds?: number;
  /** When it is pressed in time. */
  onUndo(): void;
  /** Once, when it is not: what must not happen before is done here (sending with a delay). */
  onElapsed?(): void;
};

export type Toast =
  | { id: string; kind: 'done'; text: string }
  | { id: string; kind: 'failed'; error: unknown }
  | ({ id: string; kind: 'undo' } & UndoOptions);
