// The kinds of toasts.

export type UndoOptions = {
  text: string;
  seconds: number;
  /** When the button is pressed in time. */
  onUndo(): void;
  /** Once, when the time has passed: actions that must be delayed go here (delayed sending). */
  onElapsed?(): void;
};

export type Toast =
  | { id: string; kind: 'done'; text: string }
  | { id: string; kind: 'failed'; error: unknown }
  | ({ id: string; kind: 'undo' } & UndoOptions);
