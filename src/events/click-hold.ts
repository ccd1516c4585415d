/** How long the event of a click is held, so that it can be withdrawn when the burst of a link scanner is recognised. */
export const clickHoldMs = 2_500;
