// What a client sends to sign in with an access token, in SMTP, IMAP and POP3: XOAUTH2 of Google and Microsoft, and OAUTHBEARER
// (RFC 7628). Each protocol encodes it in base64.

export const xoauth2 = (user: string, token: string): string => `user=${user}\x01auth=Bearer ${token}\x01\x01`;

/** Comma and equals sign of the user name are escaped (RFC 5801 4). */
export const oauthBearer = (user: string, token: string): string =>
  `n,a=${user.replaceAll('=', '=3D').replaceAll(',', '=2C')},\x01auth=Bearer ${token}\x01\x01`;
