// How long a step may wait, here and in the fields of the screen.

/** Of waits, also of those for an event. */
export const spanUnits = ['minutes', 'hours', 'days', 'weeks'] as const;

/** The most units of one wait. */
export const longestWait = 1_000;
