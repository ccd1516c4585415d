// The part of a browser that matters for signing in: keeps the session cookie and sends the origin of its requests.
export type Answer<T = Record<string, unknown>> = { status: number; body: T; headers: Headers };

export class Browser {
  readonly base: string;
  /** The cookie's value; undefined when there is none. */
  cookie: string | undefined;
  cookieName = 'postrider_session';
  /** What the browser keeps after signing out. */
  known: string | undefined;
  /** The cookie of a sign-in at an identity provider. */
  provider: string | undefined;
  /** The cookie of a sign-in by a passkey. */
  passkey: string | undefined;
  /** The last Set-Cookie line. */
  setCookie = '';
  /** What every request says beside; Sec-Fetch-Site of our own pages, if nothing else. */
  headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' };

  constructor(base: string) {
    this.base = base;
  }

  async ask<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const cookies = [
      ...(this.cookie === undefined ? [] : [`${this.cookieName}=${this.cookie}`]),
      ...(this.known === undefined ? [] : [`postrider_browser=${this.known}`]),
      ...(this.provider === undefined ? [] : [`postrider_provider=${this.provider}`]),
      ...(this.passkey === undefined ? [] : [`postrider_passkey=${this.passkey}`]),
    ];
    const response = await fetch(this.base + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
        ...this.headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, remembered] = /^(?:__(?:Host|Secure)-)?postrider_browser=([^;]*)/.exec(line) ?? [];
      if (remembered !== undefined) this.known = remembered;
      const [, begun] = /^(?:__(?:Host|Secure)-)?postrider_provider=([^;]*)/.exec(line) ?? [];
      if (begun !== undefined) this.provider = begun === '' ? undefined : begun;
      const [, asked] = /^(?:__(?:Host|Secure)-)?postrider_passkey=([^;]*)/.exec(line) ?? [];
      if (asked !== undefined) this.passkey = asked;
      const [, value] = /^(?:__(?:Host|Secure)-)?postrider_session=([^;]*)/.exec(line) ?? [];
      if (value === undefined) continue;
      this.setCookie = line;
      this.cookieName = line.split('=', 1)[0]!;
      this.cookie = value === '' ? undefined : value;
    }
    const text = await response.text();
    return {
      status: response.status,
      body: (text !== '' && response.headers.get('content-type')?.startsWith('application/json')
        ? JSON.parse(text)
        : text) as T,
      headers: response.headers,
    };
  }

  signIn(email: string, password: string, totp?: string): Promise<Answer> {
    return this.ask('POST', '/session', { email, password, ...(totp === undefined ? {} : { totp }) });
  }

  call<T = unknown>(method: string, params: Record<string, unknown> = {}): Promise<Answer<T>> {
    return this.ask<T>('POST', `/api/${method}`, params);
  }
}
