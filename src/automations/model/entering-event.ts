/** What an event brings into an automation, as automation_signal and automation_run have it. `at`: ISO 8601. */
export type EnteringEvent = { name: string; at: string; value: number | null; data: Record<string, unknown> };
