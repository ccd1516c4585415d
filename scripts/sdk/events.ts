// The types of the events of webhooks, for the receivers in the three languages.
import { z } from 'zod';
import { type EventType, eventTypeNames, eventTypes } from '../../src/events/types.ts';
import { notice, pascal, type Schema } from './description.ts';
import { shown } from './php.ts';
import { addClasses, pythonType } from './python.ts';
import { ts } from './typescript.ts';

export function eventFiles(): [name: string, text: string][] {
  return [
    ['../receiver/events.d.ts', typescriptEvents()],
    ['python/postrider/events.py', pythonEvents()],
    ['php/src/EventTypes.php', phpEvents()],
  ];
}

/** The data of an event as a receiver gets it; `test` is there when a person sent it as a test. */
function schemaOf(type: EventType): Schema {
  const { properties, required = [] } = z.toJSONSchema(eventTypes[type].data) as Schema;
  const members: Schema = { properties: { id: { type: 'string' }, ...properties, test: { type: 'boolean' } } };
  return { type: 'object', ...members, required: ['id', ...required] };
}

function typescriptEvents(): string {
  const members = eventTypeNames.map(
    (type) => `  /** ${eventTypes[type].when} */\n  '${type}': ${ts(schemaOf(type), '  ')};\n`,
  );
  return `// ${notice}

/** The data of each type of event. */
export type EventData = {
${members.join('')}};

/** An event of a type that is known. Later versions have further types: ignore those you do not know. */
export type WebhookEvent = { [T in keyof EventData]: { type: T; data: EventData[T] } }[keyof EventData];
`;
}

/** contact.subscribe is ContactSubscribe. */
const className = (type: string) => type.split(/[._]/).map(pascal).join('');

function pythonEvents(): string {
  const classes: string[] = [];
  for (const type of eventTypeNames) {
    const name = className(type);
    const schema = schemaOf(type);
    addClasses(schema, name, classes);
    classes.push(
      `# ${eventTypes[type].when}\n${name}Event = TypedDict("${name}Event", {"type": Literal["${type}"], "data": ${pythonType(schema, `"${name}"`)}})\n`,
    );
  }
  return `# ${notice}
# Later versions have further types: ignore those you do not know.
from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union

${classes.join('\n')}
Event = Union[
${eventTypeNames.map((type) => `    ${className(type)}Event,\n`).join('')}]
`;
}

function phpEvents(): string {
  const named = eventTypeNames.map((type) => ` * @phpstan-type ${className(type)} ${shown(schemaOf(type), ' * ')}\n`);
  const union = eventTypeNames.map((type) => `array{type: '${type}', data: ${className(type)}}`).join('\n *   |');
  return `<?php

// ${notice}

declare(strict_types=1);

namespace Postrider;

/**
 * The events of webhooks, for PHPStan and Psalm: \`@phpstan-import-type Event from \\Postrider\\EventTypes\`. Later versions have further
 * types: ignore those you do not know.
 *
${named.join('')} * @phpstan-type Event ${union}
 */
final class EventTypes
{
}
`;
}
