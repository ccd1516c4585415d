<?php

declare(strict_types=1);

namespace Postrider;

/**
 * What one request of a webhook brings. Events may arrive more than once; $event['data']['id'] identifies them. In the classic format,
 * times are seconds since 1970.
 *
 * @phpstan-import-type Event from EventTypes
 */
final class Delivery
{
    /** @param list<Event> $events */
    public function __construct(
        public readonly int $timestamp,
        public readonly array $events,
    ) {
    }
}
