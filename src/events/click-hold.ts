/** How long the event of a click is held, so that it can be withdrawn when the burst of a link scanner is recognised: longer than
 * `burstSeconds` of `src/tracking/bursts.ts`. */
export const clickHoldMs = 2_500;
