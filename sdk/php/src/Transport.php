<?php

declare(strict_types=1);

namespace Postrider;

/** Sends one request and returns its answer, whatever the status. It does not follow redirects and does not repeat anything. */
interface Transport
{
    /**
     * @param array<string, string> $headers
     * @param float $timeout seconds that the request may take
     * @throws NoAnswer
     */
    public function post(string $url, array $headers, string $body, float $timeout): Response;
}
