/** The most entries of the timeline of a contact that are returned at once. */
export const maxTimelineEntries = 15_000;
