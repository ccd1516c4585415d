/** The opens and clicks of more hours are counted per day. */
export const maxHourlyHours = 336;
