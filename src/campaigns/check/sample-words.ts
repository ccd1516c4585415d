// The sample texts that the web application puts into new emails, in its languages; a test compares them with the texts of the
// application (unwritten.test.ts). Lines, as they are on the screen.
import type { MessageLanguage } from '../../base/messages.ts';
import { sampleMessages } from '../starter/sample-message.ts';

type Words = {
  /** Lines that no reader should get. */
  sample: string[];
  /** Lines that may stay, but say nothing alone. */
  greeting: string[];
};

const words: Record<MessageLanguage, Words> = {
  en: {
    sample: [
      'A heading that says what this is about',
      'Write your news here. Short paragraphs and one clear link work best.',
      'Write your news here.',
      'A paragraph. Double-click to type.',
      'Your HTML',
      'Your heading',
      sampleMessages.en,
    ],
    greeting: ['Hello *|FNAME:friend|*,', 'Unsubscribe: *|UNSUB|*'],
  },
  de: {
    sample: [
      'Eine Überschrift, die sagt, worum es geht',
      'schreiben Sie hier Ihre Neuigkeiten. Kurze Absätze und ein klarer Link wirken am besten.',
      'schreiben Sie hier Ihre Neuigkeiten.',
      'Ein Absatz. Zum Schreiben doppelklicken.',
      'Ihr HTML',
      'Ihre Überschrift',
      sampleMessages.de,
    ],
    greeting: ['Hallo *|FNAME:zusammen|*,', 'Abmelden: *|UNSUB|*'],
  },
  fr: {
    sample: [
      'Un titre qui dit de quoi il s’agit',
      'Écrivez vos nouvelles ici. Des paragraphes courts et un lien clair fonctionnent le mieux.',
      'Écrivez vos nouvelles ici.',
      'Un paragraphe. Double-cliquez pour écrire.',
      'Votre HTML',
      'Votre titre',
      sampleMessages.fr,
    ],
    greeting: ['Bonjour *|FNAME:à vous|*,', 'Se désabonner\u00a0: *|UNSUB|*'],
  },
  es: {
    sample: [
      'Un título que diga de qué se trata',
      'Escriba aquí sus novedades. Lo mejor son párrafos cortos y un enlace claro.',
      'Escriba aquí sus novedades.',
      'Un párrafo. Haga doble clic para escribir.',
      'Su HTML',
      'Su título',
      sampleMessages.es,
    ],
    greeting: ['Hola *|FNAME:a todos|*:', 'Darse de baja: *|UNSUB|*'],
  },
  it: {
    sample: [
      'Un titolo che dice di che cosa si tratta',
      'Scrivi qui le tue novità. Funzionano meglio i paragrafi brevi e un solo link chiaro.',
      'Scrivi qui le tue novità.',
      'Un paragrafo. Fai doppio clic per scrivere.',
      'Il tuo HTML',
      'Il tuo titolo',
      sampleMessages.it,
    ],
    greeting: ['Ciao *|FNAME:a tutti|*,', 'Annulla l’iscrizione: *|UNSUB|*'],
  },
  pl: {
    sample: [
      'Nagłówek, który mówi, o co chodzi',
      'Tu wpisz swoje nowości. Najlepiej działają krótkie akapity i jeden wyraźny link.',
      'Tu wpisz swoje nowości.',
      'Akapit. Kliknij dwukrotnie, aby pisać.',
      'Twój HTML',
      'Twój nagłówek',
      sampleMessages.pl,
    ],
    greeting: ['Cześć *|FNAME:wszystkim|*!', 'Wypisz się: *|UNSUB|*'],
  },
  pt: {
    sample: [
      'Um título que diga do que se trata',
      'Escreva suas novidades aqui. Parágrafos curtos e um link claro funcionam melhor.',
      'Escreva suas novidades aqui.',
      'Um parágrafo. Clique duas vezes para escrever.',
      'Seu HTML',
      'Seu título',
      sampleMessages.pt,
    ],
    greeting: ['Olá, *|FNAME:pessoal|*!', 'Descadastrar-se: *|UNSUB|*'],
  },
  nl: {
    sample: [
      'Een kop die zegt waar dit over gaat',
      'Schrijf hier je nieuws. Korte alinea’s en één duidelijke link werken het best.',
      'Schrijf hier je nieuws.',
      'Een alinea. Dubbelklik om te typen.',
      'Je HTML',
      'Je kop',
      sampleMessages.nl,
    ],
    greeting: ['Hallo *|FNAME:allemaal|*,', 'Afmelden: *|UNSUB|*'],
  },
};

export const linesOfSamples = (kind: keyof Words): string[] => Object.values(words).flatMap((all) => all[kind]);

/** The link of the footer, in the languages of the application. */
export const sampleLeave = [
  'Unsubscribe',
  'Abmelden',
  'Se désabonner',
  'Darse de baja',
  'Annulla l’iscrizione',
  'Wypisz się',
  'Descadastrar-se',
  'Afmelden',
];
