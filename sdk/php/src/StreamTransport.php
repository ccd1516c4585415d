<?php

declare(strict_types=1);

namespace Postrider;

/**
 * Requests by PHP's own streams, where the curl extension is missing; needs allow_url_fopen. The timeout counts for the connection
 * and the headers, and again for the body.
 */
final class StreamTransport implements Transport
{
    public function post(string $url, array $headers, string $body, float $timeout): Response
    {
        if (preg_match('#^https?://#i', $url) !== 1) {
            throw new NoAnswer('The URL does not begin with http:// or https://');
        }
        $headers['Connection'] = 'close';
        $context = stream_context_create(['http' => [
            'method' => 'POST',
            'protocol_version' => 1.1,
            'header' => array_map(fn (string $name): string => "$name: $headers[$name]", array_keys($headers)),
            'content' => $body,
            'timeout' => $timeout,
            'follow_location' => 0,
            'ignore_errors' => true,
        ]]);
        $problem = '';
        set_error_handler(function (int $level, string $message) use (&$problem): bool {
            $problem = $message;
            return true;
        });
        try {
            $stream = fopen($url, 'r', false, $context);
            if ($stream === false) {
                throw new NoAnswer($problem);
            }
            try {
                return self::read($stream, $timeout);
            } finally {
                fclose($stream);
            }
        } finally {
            restore_error_handler();
        }
    }

    /** @param resource $stream */
    private static function read($stream, float $timeout): Response
    {
        $status = 0;
        $headers = [];
        foreach (stream_get_meta_data($stream)['wrapper_data'] ?? [] as $line) {
            if (preg_match('#^HTTP/\S+ (\d{3})#', $line, $found) === 1) {
                $status = (int) $found[1];
                $headers = [];
                continue;
            }
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $headers[strtolower(trim($name))] = trim($value);
        }
        $deadline = microtime(true) + $timeout;
        $body = '';
        while (!feof($stream)) {
            $left = $deadline - microtime(true);
            if ($left <= 0) {
                throw new NoAnswer('The answer took too long');
            }
            stream_set_timeout($stream, (int) $left, (int) (fmod($left, 1) * 1_000_000));
            $piece = fread($stream, 65_536);
            if ($piece === false) {
                throw new NoAnswer('The answer ended early');
            }
            $body .= $piece;
        }
        if (isset($headers['content-length']) && strlen($body) < (int) $headers['content-length']) {
            throw new NoAnswer('The answer ended early');
        }
        return new Response($status, $headers, $body);
    }
}
