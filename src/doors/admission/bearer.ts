/** The API key of a header `Authorization: Bearer …`; undefined for any other, or none. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  /^Bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1];
