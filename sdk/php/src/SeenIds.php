<?php

declare(strict_types=1);

namespace Postrider;

/** Remembers the events that were acted on, by their ids: in a table of your database, or in files (SeenFiles). */
interface SeenIds
{
    public function has(string $id): bool;

    /** @param list<string> $ids */
    public function add(array $ids): void;
}
