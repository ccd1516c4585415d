<?php
// A receiver of webhooks. Run: WEBHOOK_SECRET=... php -S 127.0.0.1:8000 receiver.php
// Without WEBHOOK_SECRET requests are not checked. Takes both formats, standard and classic.
$secret = getenv('WEBHOOK_SECRET') ?: '';
if ($secret === '') {
    // With each request: this file runs again for each one.
    file_put_contents('php://stderr', "WEBHOOK_SECRET is empty: requests are not checked\n");
}
$body = file_get_contents('php://input');

// The service asks with HEAD whether the address is there.
if ($_SERVER['REQUEST_METHOD'] === 'HEAD') {
    return true;
}

// By their names as the service writes them: in lower case.
const ALGORITHMS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'];

function believed(string $secret, string $body): bool
{
    if ($secret === '') {
        return true;
    }
    $parts = explode('=', $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '', 2);
    $signature = $parts[1] ?? '';
    return $signature !== ''
        && in_array($parts[0], ALGORITHMS, true)
        && hash_equals(hash_hmac($parts[0], $body, $secret), $signature);
}

header('Content-Type: text/plain');
if (!believed($secret, $body)) {
    http_response_code(401);
    echo '401 Unauthorized';
    return true;
}
$delivery = json_decode($body, true);
// The classic format names the type once.
$classic = array_map(fn ($data) => ['type' => $delivery['hook'], 'data' => $data], $delivery['data'] ?? []);
foreach ($delivery['events'] ?? $classic as $event) {
    // The same event may come again: remember $event['data']['id'].
    file_put_contents('php://stdout', "{$event['type']} {$event['data']['id']}\n");
}
echo 'OK';
return true;
