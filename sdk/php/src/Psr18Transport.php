<?php

declare(strict_types=1);

namespace Postrider;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * Requests by an HTTP client of your own (PSR-18, PSR-17), such as Guzzle. The timeout is the one that client was given, and it must
 * not repeat requests: the retries of Client cannot take effect twice.
 */
final class Psr18Transport implements Transport
{
    public function __construct(
        private readonly ClientInterface $client,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
    ) {
    }

    public function post(string $url, array $headers, string $body, float $timeout): Response
    {
        $request = $this->requests->createRequest('POST', $url)->withBody($this->streams->createStream($body));
        foreach ($headers as $name => $value) {
            $request = $request->withHeader($name, $value);
        }
        try {
            $response = $this->client->sendRequest($request);
            $received = [];
            foreach (array_keys($response->getHeaders()) as $name) {
                $received[strtolower((string) $name)] = $response->getHeaderLine((string) $name);
            }
            return new Response($response->getStatusCode(), $received, (string) $response->getBody());
        } catch (ClientExceptionInterface $cause) {
            throw new NoAnswer($cause->getMessage(), previous: $cause);
        }
    }
}
