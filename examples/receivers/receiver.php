<?php
// A webhook receiver. Run: WEBHOOK_SECRET=... php -S 127.0.0.1:8000 receiver.php
// Without WEBHOOK_SECRET, requests are not checked. Accepts both formats, standard and classic.
$secret = getenv('WEBHOOK_SECRET') ?: '';
if ($secret === '') {
    // PHP runs this file for each request, so the warning repeats.
    file_put_contents('php://stderr', "WEBHOOK_SECRET is empty: requests are not checked\n");
}
$body = file_get_contents('php://input');

// Saving the webhook checks the URL with HEAD.
if ($_SERVER['REQUEST_METHOD'] === 'HEAD') {
    return true;
}

// The names exactly as they appear in the header, in lower case.
const ALGORITHMS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'];

function verified(string $secret, string $body): bool
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
if (!verified($secret, $body)) {
    http_response_code(401);
    echo '401 Unauthorized';
    return true;
}
$delivery = json_decode($body, true);
// In the classic format, all events of a request have one type.
$classic = array_map(fn ($data) => ['type' => $delivery['hook'], 'data' => $data], $delivery['data'] ?? []);
foreach ($delivery['events'] ?? $classic as $event) {
    // An event may arrive more than once: remember $event['data']['id'].
    file_put_contents('php://stdout', "{$event['type']} {$event['data']['id']}\n");
}
echo 'OK';
return true;
