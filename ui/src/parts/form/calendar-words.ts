// The months and weekdays of calendars, in the languages of the web application. English is in the library itself.
import 'dayjs/locale/de.js';
import 'dayjs/locale/es.js';
import 'dayjs/locale/fr.js';
import 'dayjs/locale/it.js';
import 'dayjs/locale/nl.js';
import 'dayjs/locale/pl.js';
import 'dayjs/locale/pt.js';
