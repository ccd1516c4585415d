// Splits a text of SQL into its statements, for those that cannot run in a transaction and so must be sent one by one.
// Understands comments, quoted names and texts, and dollar quotes; leaves comments out, except inside dollar quotes.
// Does not understand "begin atomic … end" bodies: write such a function with a dollar quote.

// Each alternative is a piece in which a semicolon does not end the statement; the last is any other character.
// Block comments do not nest here, as they do in PostgreSQL: no migration needs that.
const piece =
  /(?<comment>--[^\n]*|\/\*[\s\S]*?\*\/)|\$(?<tag>[A-Za-z_]\w*|)\$[\s\S]*?\$\k<tag>\$|\b[eE]'(?:[^'\\]|''|\\[\s\S])*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<end>;)|[\s\S]/g;

/** The statements of a text in order, without their semicolons. */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let statement = '';
  for (const { 0: found, groups } of text.matchAll(piece)) {
    if (groups?.['comment'] !== undefined) statement += ' ';
    else if (groups?.['end'] !== undefined) {
      statements.push(statement);
      statement = '';
    } else statement += found;
  }
  return [...statements, statement].map((text) => text.trim()).filter((text) => text !== '');
}
