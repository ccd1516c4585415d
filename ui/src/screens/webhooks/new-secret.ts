// The secret of a new webhook: made in the browser, and kept in this tab until its webhook has been shown once, since the program
// does not show it again.

/** As the program makes them: 32 random bytes in Base64. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

const kept = new Map<string, string>();

export const keepSecret = (webhook: string, secret: string): void => void kept.set(webhook, secret);

/** The secret of a webhook that has just been created, once. */
export function takeSecret(webhook: string): string | undefined {
  const secret = kept.get(webhook);
  kept.delete(webhook);
  return secret;
}
