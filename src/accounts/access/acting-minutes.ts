/** How long an operator acts in the account of another: then the session ends. */
export const actingMinutes = 60;
