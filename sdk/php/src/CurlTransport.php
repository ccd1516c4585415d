<?php

declare(strict_types=1);

namespace Postrider;

/** Requests by PHP's curl extension. */
final class CurlTransport implements Transport
{
    public function post(string $url, array $headers, string $body, float $timeout): Response
    {
        $received = [];
        // A connection for each request: on one that was used before, curl may send a request again without being asked.
        $curl = curl_init();
        curl_setopt_array($curl, [
            CURLOPT_URL => $url,
            CURLOPT_POST => true,
            CURLOPT_POSTFIELDS => $body,
            // Without Expect, which would cost a round trip.
            CURLOPT_HTTPHEADER => [...array_map(fn (string $name): string => "$name: $headers[$name]", array_keys($headers)), 'Expect:'],
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_TIMEOUT_MS => max(1, (int) round($timeout * 1_000)),
            CURLOPT_NOSIGNAL => true,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$received): int {
                $parts = explode(':', $line, 2);
                if (count($parts) === 2) {
                    $received[strtolower(trim($parts[0]))] = trim($parts[1]);
                }
                return strlen($line);
            },
        ]);
        $answer = curl_exec($curl);
        if (!is_string($answer)) {
            throw new NoAnswer(curl_error($curl));
        }
        return new Response((int) curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $received, $answer);
    }
}
