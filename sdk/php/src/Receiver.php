<?php

declare(strict_types=1);

namespace Postrider;

/**
 * Receives the webhooks of an installation: checks the signature over the raw body, reads the delivery, answers.
 *
 * Without a secret nothing is checked. With one, a request that is not signed by it, or that was signed too long ago, is answered with
 * 401. The receivers in Node and Python do the same; receiver/vectors.json has the cases that all three pass.
 */
final class Receiver
{
    /** Larger bodies are refused with 413; the service sends 256 kB at most but for a single event that is larger. */
    private const MAX_BYTES = 4 * 1024 * 1024;

    /** The algorithms of X-Service-Signature, by the names that the service writes: in lower case. */
    private const ALGORITHMS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'];

    private readonly string $secret;

    /**
     * @param string $secret the webhook's secret; with '' nothing is checked
     * @param int $tolerance how old a request may be, in seconds; 0 checks X-Service-Signature, which any age passes, in place of the
     *     headers of Standard Webhooks
     * @param SeenIds|null $seen with it, events that were acted on before are left out
     */
    public function __construct(
        #[\SensitiveParameter] string $secret,
        private readonly int $tolerance = 300,
        private readonly ?SeenIds $seen = null,
    ) {
        $this->secret = $secret;
    }

    /**
     * Answers the request that PHP is running for. What $onDelivery throws is thrown, after the status 500: then the service sends the
     * events again.
     *
     * @param callable(Delivery): mixed $onDelivery
     */
    public function respond(callable $onDelivery): void
    {
        $body = file_get_contents('php://input', length: self::MAX_BYTES + 1);
        header('Content-Type: text/plain');
        http_response_code(500);
        $answer = $this->handle($_SERVER['REQUEST_METHOD'] ?? '', (string) $body, self::headersOf($_SERVER), $onDelivery);
        http_response_code($answer->status);
        echo $answer->text;
    }

    /**
     * Answers a request, and calls $onDelivery with the events to act on.
     *
     * @param string $body the bytes as they came
     * @param array<string, string> $headers
     * @param callable(Delivery): mixed $onDelivery
     */
    public function handle(string $method, string $body, array $headers, callable $onDelivery): Answer
    {
        // The service asks with HEAD whether the address is there when it is saved.
        if ($method === 'HEAD') {
            return new Answer(200, '');
        }
        if ($method !== 'POST') {
            return new Answer(405, '405 Method Not Allowed');
        }
        if (strlen($body) > self::MAX_BYTES) {
            return new Answer(413, '413 Content Too Large');
        }
        $answer = $this->receive($body, $headers);
        if ($answer->delivery === null) {
            return $answer;
        }
        if ($this->seen === null) {
            $onDelivery($answer->delivery);
            return $answer;
        }
        $isNew = fn (array $event): bool => !$this->seen->has($event['data']['id']);
        $events = array_values(array_filter($answer->delivery->events, $isNew));
        if ($events !== []) {
            $onDelivery(new Delivery($answer->delivery->timestamp, $events));
            // Not earlier: until it was acted on, an event must be able to come again.
            $this->seen->add(array_map(fn (array $event): string => $event['data']['id'], $events));
        }
        return $answer;
    }

    /**
     * What to answer a request.
     *
     * @param string $body the bytes as they came
     * @param array<string, string> $headers
     * @param int|null $now seconds since 1970
     */
    public function receive(string $body, array $headers, ?int $now = null): Answer
    {
        if (!$this->verify($body, $headers, $now)) {
            return new Answer(401, '401 Unauthorized');
        }
        $delivery = self::read($body);
        return $delivery === null ? new Answer(400, '400 Bad Request') : new Answer(200, 'OK', $delivery);
    }

    /**
     * Whether a request may be believed.
     *
     * @param array<string, string> $headers
     */
    public function verify(string $body, array $headers, ?int $now = null): bool
    {
        if ($this->secret === '') {
            return true;
        }
        $given = array_change_key_case($headers);
        if ($this->tolerance <= 0) {
            return self::isSigned($body, $given['x-service-signature'] ?? '', $this->secret);
        }
        $id = $given['webhook-id'] ?? '';
        $at = $given['webhook-timestamp'] ?? '';
        if ($id === '' || preg_match('/^\d{1,12}$/D', $at) !== 1 || abs(($now ?? time()) - (int) $at) > $this->tolerance) {
            return false;
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$at.$body", self::standardKey($this->secret), true));
        // While a secret is being replaced, there are two signatures.
        $matching = array_filter(
            explode(' ', $given['webhook-signature'] ?? ''),
            fn (string $one): bool => hash_equals($expected, $one),
        );
        return $matching !== [];
    }

    /**
     * @param array<string, mixed> $server
     * @return array<string, string>
     */
    private static function headersOf(array $server): array
    {
        $headers = [];
        foreach ($server as $name => $value) {
            if (is_string($value) && str_starts_with((string) $name, 'HTTP_')) {
                $headers[strtr(substr((string) $name, 5), '_', '-')] = $value;
            }
        }
        return $headers;
    }

    private static function isSigned(string $body, string $header, string $secret): bool
    {
        [$algorithm, $signature] = explode('=', $header, 2) + [1 => ''];
        return $signature !== ''
            && in_array($algorithm, self::ALGORITHMS, true)
            && hash_equals(hash_hmac($algorithm, $body, $secret), $signature);
    }

    /** A secret that begins with whsec_ is a key in Base64; any other is taken as it is written. */
    private static function standardKey(string $secret): string
    {
        return str_starts_with($secret, 'whsec_') ? (string) base64_decode(strtr(substr($secret, 6), '-_', '+/')) : $secret;
    }

    private static function read(string $body): ?Delivery
    {
        // As objects, in which a struct is not a list; the events are then read as arrays.
        $found = json_decode($body);
        if (!$found instanceof \stdClass) {
            return null;
        }
        // The classic format names the type once, for all of its events.
        $isClassic = is_string($found->hook ?? null) && is_array($found->data ?? null);
        $list = $isClassic ? $found->data : $found->events ?? null;
        if (!is_array($list)) {
            return null;
        }
        $events = json_decode($body, true)[$isClassic ? 'data' : 'events'];
        if ($isClassic) {
            $events = array_map(fn (mixed $data): array => ['type' => $found->hook, 'data' => $data], $events);
        }
        foreach ($events as $event) {
            if (!is_string($event['type'] ?? null) || !is_array($event['data'] ?? null) || !is_string($event['data']['id'] ?? null)) {
                return null;
            }
        }
        return new Delivery(is_int($found->timestamp ?? null) ? $found->timestamp : 0, $events);
    }
}
