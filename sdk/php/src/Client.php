<?php

declare(strict_types=1);

namespace Postrider;

/**
 * A client of one installation and one API key: one HTTP request per call, retries that cannot repeat an effect, iteration over
 * pages. The calls themselves are in Methods, which is generated.
 */
final class Client extends Methods
{
    private readonly string $url;
    private readonly string $apiKey;
    private readonly Transport $transport;

    /**
     * @param string $url the address of the installation, such as https://mail.example.com
     * @param float $timeout seconds that one request may take
     * @param int $maxRetries repetitions of a call that failed for a moment; only calls that cannot take effect twice are repeated
     * @param Transport|null $transport what sends the requests; curl if PHP has it, or else streams
     */
    public function __construct(
        string $url,
        #[\SensitiveParameter] string $apiKey,
        private readonly float $timeout = 30,
        private readonly int $maxRetries = 3,
        ?Transport $transport = null,
    ) {
        if ($url === '') {
            throw new \InvalidArgumentException('url is missing: the address of the installation, such as https://mail.example.com');
        }
        if ($apiKey === '') {
            throw new \InvalidArgumentException('apiKey is missing');
        }
        if (preg_match('/[^\x21-\x7e]/', $apiKey) === 1) {
            throw new \InvalidArgumentException('apiKey has characters that no API key has');
        }
        $this->url = rtrim($url, '/');
        $this->apiKey = $apiKey;
        $this->transport = $transport ?? (extension_loaded('curl') ? new CurlTransport() : new StreamTransport());
    }

    public function call(string $method, array $params = []): mixed
    {
        $known = self::METHODS[$method] ?? [];
        if ($known['idempotent'] ?? false) {
            $params['idempotency_key'] ??= self::newKey();
        }
        foreach ($known['structs'] ?? [] as $path) {
            $params = self::withStruct($params, explode('.', $path));
        }
        $body = json_encode((object) $params, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
        $cannotRepeat = ($known['reads'] ?? false) || ($known['idempotent'] ?? false);
        for ($attempt = 0; ; $attempt++) {
            try {
                return $this->request($method, $body);
            } catch (PostriderError $error) {
                $isSafe = $cannotRepeat || self::changedNothing($error);
                if ($attempt >= $this->maxRetries || !$isSafe || !in_array($error->status, [0, 429, 502, 503, 504], true)) {
                    throw $error;
                }
                usleep((int) round(1_000_000 * ($error->retryAfter ?? 0.25 * 2 ** $attempt)));
            }
        }
    }

    /**
     * The rows of all pages of a method, one after the other: `iterate('listMembers', id: $list)`.
     *
     * @return \Generator<int, mixed>
     * @throws PostriderError
     */
    public function iterate(string $method, mixed ...$params): \Generator
    {
        $pages = self::METHODS[$method]['pages'] ?? throw new \InvalidArgumentException("$method returns no pages");
        $number = 0;
        if ($pages === 'cursor') {
            do {
                $page = $this->call($method, $params);
                foreach ($page['data'] as $row) {
                    yield $number++ => $row;
                }
                $params['cursor'] = $page['next'] ?? '';
            } while ($params['cursor'] !== '');
            return;
        }
        $limit = $params['limit'] ?? 100;
        for ($start = $params['start'] ?? 0; ; $start++) {
            $page = $this->call($method, ['start' => $start, 'limit' => $limit] + $params);
            $rows = array_is_list($page) ? $page : $page['data'];
            foreach ($rows as $row) {
                yield $number++ => $row;
            }
            if (count($rows) < $limit || ($page['more'] ?? null) === false) {
                return;
            }
        }
    }

    private function request(string $method, string $body): mixed
    {
        $headers = ['Authorization' => "Bearer $this->apiKey", 'Content-Type' => 'application/json'];
        try {
            $response = $this->transport->post("$this->url/api/" . rawurlencode($method), $headers, $body, $this->timeout);
        } catch (NoAnswer $cause) {
            throw new PostriderError("$method got no answer: {$cause->getMessage()}", $method, previous: $cause);
        }
        $value = json_decode($response->body, true);
        $isJson = json_last_error() === JSON_ERROR_NONE;
        if ($response->status >= 200 && $response->status < 300 && $isJson) {
            return $value;
        }
        $fault = is_array($value) ? $value : [];
        $retryAfter = $response->headers['retry-after'] ?? '';
        throw new PostriderError(
            is_string($fault['error'] ?? null) ? $fault['error'] : "$method got HTTP $response->status",
            $method,
            is_int($fault['code'] ?? null) ? $fault['code'] : 0,
            $response->status,
            is_array($fault['text'] ?? null) ? $fault['text'] : null,
            preg_match('/^\d+(\.\d+)?$/', $retryAfter) === 1 ? (float) $retryAfter : null,
        );
    }

    /**
     * An empty array where the API takes a struct becomes an empty object.
     *
     * @param list<string> $path names of members; * stands for every one
     */
    private static function withStruct(mixed $value, array $path): mixed
    {
        if ($path === []) {
            return $value === [] ? new \stdClass() : $value;
        }
        if (!is_array($value)) {
            return $value;
        }
        $name = array_shift($path);
        foreach ($name === '*' ? array_keys($value) : [$name] as $key) {
            if (array_key_exists($key, $value)) {
                $value[$key] = self::withStruct($value[$key], $path);
            }
        }
        return $value;
    }

    /** Whether the server says that the call had no effect. */
    private static function changedNothing(PostriderError $error): bool
    {
        return $error->status === 429 || $error->reason === 'call.nothing_changed';
    }

    /** A random UUID (version 4). */
    private static function newKey(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}
