// The starter templates: their purpose in the gallery, their layout, and their names in the languages that they are written in. Imports
// nothing: the screens use it too (bin/build-ui).

export const starterLanguages = ['en', 'de', 'fr'] as const;
export type StarterLanguage = (typeof starterLanguages)[number];

type Entry = {
  purpose: 'newsletter' | 'company' | 'offer' | 'event' | 'welcome' | 'remind' | 'service';
  layout: 'basic' | 'left column' | 'right column' | 'postcard';
  names: Record<StarterLanguage, string>;
};

const entry = (purpose: Entry['purpose'], en: string, de: string, fr: string, layout: Entry['layout'] = 'basic') =>
  ({ purpose, layout, names: { en, de, fr } }) satisfies Entry;

/** In the order of the gallery. */
export const catalogue = {
  letter: entry('newsletter', 'Letter', 'Brief', 'Lettre'),
  digest: entry('newsletter', 'Digest', 'Überblick', 'Sélection'),
  magazine: entry('newsletter', 'Magazine', 'Magazin', 'Magazine', 'right column'),
  podcast: entry('newsletter', 'Podcast episode', 'Podcast-Folge', 'Épisode de podcast'),
  minimal: entry('newsletter', 'Minimal', 'Minimal', 'Minimaliste'),
  productNews: entry('company', 'Product news', 'Produktneuheit', 'Nouveauté produit'),
  changelog: entry('company', 'Changelog', 'Änderungsprotokoll', 'Journal des versions', 'left column'),
  announcement: entry('company', 'Announcement', 'Ankündigung', 'Annonce', 'postcard'),
  offer: entry('offer', 'Offer', 'Angebot', 'Offre'),
  invite: entry('offer', 'Invite a friend', 'Freunde einladen', 'Parrainage'),
  anniversary: entry('offer', 'Anniversary', 'Jubiläum', 'Anniversaire'),
  event: entry('event', 'Event', 'Veranstaltung', 'Événement'),
  welcome1: entry('welcome', 'Welcome 1: hello', 'Willkommen 1: Hallo', 'Bienvenue 1 : bonjour'),
  welcome2: entry('welcome', 'Welcome 2: first steps', 'Willkommen 2: Erste Schritte', 'Bienvenue 2 : premiers pas'),
  welcome3: entry('welcome', 'Welcome 3: interests', 'Willkommen 3: Interessen', 'Bienvenue 3 : centres d’intérêt'),
  cart: entry('remind', 'Abandoned cart', 'Verlassener Warenkorb', 'Panier abandonné'),
  reEngagement: entry('remind', 'Re-engagement', 'Rückgewinnung', 'Reconquête'),
  receipt: entry('service', 'Receipt', 'Bestellbestätigung', 'Reçu'),
  shipping: entry('service', 'Shipping', 'Versandbestätigung', 'Expédition'),
  survey: entry('service', 'Survey', 'Umfrage', 'Enquête'),
} as const satisfies Record<string, Entry>;

export type StarterKey = keyof typeof catalogue;
export const starterKeys = Object.keys(catalogue) as StarterKey[];

/** What every starter template has in its page. Accounts from before these designs have others of the same names, without it. */
export const frameMark = 'class="around"';

/** The starter template with this name, in any of the languages. */
export const starterNamed = (name: string): StarterKey | undefined =>
  starterKeys.find((key) => starterLanguages.some((language) => catalogue[key].names[language] === name));
