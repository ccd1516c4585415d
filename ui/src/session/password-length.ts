// The server's least length of a password; the server reports other problems of one.
export const minPasswordLength = 12;
