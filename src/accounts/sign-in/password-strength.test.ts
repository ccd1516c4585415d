// Which passwords are accepted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordProblem } from './password-strength.ts';

const person = { email: 'grace.hopper@example.com', name: 'Grace Hopper' };

for (const [password, words] of [
  ['', 'too_short'],
  ['elevenchars', 'too_short'],
  // Twelve UTF-16 units, but six characters.
  ['🐦🐧🦆🦉🦅🦢', 'too_short'],
  ['a heron '.repeat(40), 'too_long'],
  ['grace.hopper@example.com', 'own_name'],
  ['Grace.Hopper2024', 'own_name'],
  ['grace hopper 1906', 'own_name'],
  ['aaaaaaaaaaaa', 'repeated'],
  ['abcabcabcabc', 'repeated'],
  ['abcdefabcdef', 'repeated'],
  ['abababababab1', 'repeated'],
  ['abcdefghijkl', 'row'],
  ['lkjhgfdsapoi', 'row'],
  ['345678901234', 'row'],
  ['password1234', 'common'],
  ['Passwort!2024', 'common'],
  ['ＰＡＳＳＷＯＲＤ1234', 'common'],
  ['!!letmein2025!!', 'common'],
  ['correct horse battery staple', 'common'],
] as const)
  test(`"${password.slice(0, 30)}" is refused: ${words}`, () => {
    assert.equal(passwordProblem(password, person, 'password')?.key, `password.${words}`);
  });

for (const password of [
  'correct horse',
  'a heron by the quiet lake',
  '4f9c02be7d1a6e83',
  'Zwölf Boxkämpfer jagen',
  'пароль для почты',
  '湖のほとりの静かなサギの夢',
  '            x  y z w',
  'my password manager made this',
])
  test(`"${password}" is accepted`, () => assert.equal(passwordProblem(password, person, 'password'), undefined));

const common = `
  password passwort passw0rd p@ssw0rd p@ssword motdepasse contraseña letmein welcome willkommen iloveyou sunshine
  princess football baseball superman batman dragon monkey master shadow michael jennifer charlie qwerty qwertz
  azerty qwertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm 1q2w3e4r 1qaz2wsx q1w2e3r4 abc123 123abc abcdef abcdefgh
  123456 1234567890 987654321 123123 111111 admin administrator root changeme default secret trustno1 whatever
  starwars pokemon postrider newsletter correcthorsebatterystaple `;
test('every common password is refused, also with signs and digits around it', () => {
  for (const word of common.trim().split(/\s+/)) {
    const password = `p7?4!9${word}?2!8q0`;
    assert.equal(passwordProblem(password, person, 'password')?.key, 'password.common', word);
  }
});

test('rows of adjacent keys are refused in both directions, also across rows of the keyboard', () => {
  for (const row of [
    'zyxwvutsrqpo',
    'qwertyuiopas',
    'lkjhgfdsapoi',
    'uiopasdfghjk',
    'tzuiopasdfgh',
    '4rfv5tgb6yhn',
    '5t6y7u8i9o0p',
    'p0o9i8u7y6t5',
  ])
    assert.equal(passwordProblem(row, person, 'password')?.key, 'password.row', row);
});

test('a name counts from three letters on, with fewer than three other letters around it', () => {
  const refused = (name: string, password: string) =>
    passwordProblem(password, { email: 'x@example.com', name }, 'password')?.key;
  for (const [name, password, key] of [
    ['ann', 'ann2!7ann4?9', 'password.own_name'],
    ['jo', 'jo2!7jo4?9jo', undefined],
    ['hopper', 'hopper2!74xy', 'password.own_name'],
    ['hopper', 'hopper2!7xyz', undefined],
  ] as const)
    assert.equal(refused(name, password), key, password);
});

test('a password may have 256 characters and no more', () => {
  const sentence = 'seven herons wait at the edge of a quiet lake for fish; '.repeat(5);
  assert.equal(passwordProblem(sentence.slice(0, 255) + 'Q', person, 'password')?.key, undefined);
  assert.equal(passwordProblem(sentence.slice(0, 256) + 'Q', person, 'password')?.key, 'password.too_long');
});
