// Made-up contacts of the demo: names as they are found in several countries, at domains that are reserved for examples.
// The same every time, and no one real: RFC 2606 and 6761 keep these domains from ever belonging to someone.

export type Person = { EMAIL: string; FNAME: string; LNAME: string; CITY: string; PLAN: string };

const first =
  'Ada Alba Amir Anna Astrid Bela Bruno Carla Chiara Clara Daniel Dara Elias Elif Emil Emma Enzo Eva Farah Felix Finn Freya Greta Hana Hugo Ida Ines Ivan Jana Jonas Jun Karim Kofi Lea Leo Lina Lucia Luis Magnus Maja Marta Mateo Mia Milo Nadia Nils Nina Noah Olga Omar Oskar Paula Pia Rafael Rosa Sami Sara Selma Silas Sofia Theo Tomas Vera Yara Yuki Zoe'.split(
    ' ',
  );
const last =
  'Adler Almeida Andersson Becker Berg Bianchi Brandt Castro Costa Dubois Eriksen Fischer Fontana Garcia Haddad Hansen Hoffmann Ito Jansen Keller Kim Koval Kowalski Lang Larsen Laurent Lehmann Lindqvist Lopez Martin Meyer Moreau Moretti Nagy Nielsen Novak Okafor Olsen Peters Petrov Ramos Rossi Roth Santos Sato Schmidt Silva Sousa Tanaka Torres Vogel Wagner Weber Winter Wolf Zhang'.split(
    ' ',
  );
const cities =
  'Amsterdam Athens Berlin Bilbao Bologna Bruges Copenhagen Cork Dublin Ghent Gothenburg Graz Hamburg Helsinki Krakow Leeds Lisbon Ljubljana Lyon Madrid Malmo Milan Munich Nantes Oslo Porto Prague Riga Seville Tallinn Turin Utrecht Valencia Vienna Zurich'.split(
    ' ',
  );
/** How the mailboxes are spread: a few large providers, many small ones. */
const domains = [
  ...Array<string>(34).fill('bigmail.example'),
  ...Array<string>(21).fill('postbox.example'),
  ...Array<string>(13).fill('example.com'),
  ...Array<string>(9).fill('webpost.example'),
  ...Array<string>(7).fill('example.org'),
  ...Array<string>(5).fill('northern-letters.example'),
  ...Array<string>(4).fill('example.net'),
  ...Array<string>(3).fill('university.example'),
  ...Array<string>(2).fill('townhall.example'),
  'bakery.example',
  'studio.example',
];
export const plans = ['Free', 'Reader', 'Patron'];

/** Person number n, from 0. */
export function person(n: number): Person {
  const FNAME = first[pick(n, 1, first.length)]!;
  const LNAME = last[pick(n, 2, last.length)]!;
  return {
    EMAIL: `${FNAME}.${LNAME}${n}@${domains[pick(n, 3, domains.length)]!}`.toLowerCase(),
    FNAME,
    LNAME,
    CITY: cities[pick(n, 4, cities.length)]!,
    PLAN: plans[Math.min(plans.length - 1, Math.floor(pick(n, 5, 10) / 5) + (pick(n, 6, 10) > 7 ? 1 : 0))]!,
  };
}

/** A number below a limit that looks thrown, and is the same every time (Knuth's multiplicative hash). */
function pick(n: number, salt: number, below: number): number {
  const mixed = Math.imul(n * 31 + salt * 7_919 + 1, 2_654_435_761) >>> 0;
  return Math.floor((mixed / 4_294_967_296) * below);
}
