<?php

declare(strict_types=1);

namespace Postrider;

/** What to answer the request of a webhook, and the delivery if there is one to act on. */
final class Answer
{
    public function __construct(
        public readonly int $status,
        public readonly string $text,
        public readonly ?Delivery $delivery = null,
    ) {
    }
}
