<?php

declare(strict_types=1);

namespace Postrider;

/** A request without a complete answer: no connection, out of time, or an answer that ended early. */
final class NoAnswer extends \RuntimeException
{
}
