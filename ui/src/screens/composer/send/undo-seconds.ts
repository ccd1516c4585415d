/** How long the start of a campaign can be undone. */
export const undoSeconds = 10;
