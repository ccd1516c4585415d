// What the program tells, in German; loaded where German is spoken only.
import forms from './de.json';
import words from './words.json';

export { forms, words };
