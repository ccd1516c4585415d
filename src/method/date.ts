// Dates in answers: `YYYY-MM-DD HH:MM:SS`, GMT; what has not happened yet is the empty string.

export function formatDate(at: Date | null | undefined): string {
  return at ? at.toISOString().slice(0, 19).replace('T', ' ') : '';
}
