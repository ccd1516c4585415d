<?php

declare(strict_types=1);

namespace Postrider;

/** A fault of the API, or a request without an answer (code and status are 0). The number of the fault is `getCode()`. */
final class PostriderError extends \RuntimeException
{
    /** The parameter that the fault is about. */
    public readonly ?string $member;

    /** The key of the text, which stays the same when its wording changes. */
    public readonly ?string $reason;

    /**
     * @param int $status the HTTP status
     * @param array{key: string, values: array<string, mixed>}|null $text the text by key, with its values
     * @param float|null $retryAfter seconds to wait before another call
     */
    public function __construct(
        string $message,
        public readonly string $method,
        int $code = 0,
        public readonly int $status = 0,
        public readonly ?array $text = null,
        public readonly ?float $retryAfter = null,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, $code, $previous);
        $member = $text['values']['member'] ?? null;
        $this->member = is_string($member) ? $member : null;
        $reason = $text['key'] ?? null;
        $this->reason = is_string($reason) ? $reason : null;
    }
}
