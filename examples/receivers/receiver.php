<?php
// A receiver of webhooks. Run: SECRET=... php -S 127.0.0.1:8000 receiver.php
// With an empty SECRET the signature is not checked.
$secret = getenv('SECRET') ?: '';
$body = file_get_contents('php://input');

// The service asks with HEAD whether the address is there.
if ($_SERVER['REQUEST_METHOD'] === 'HEAD') {
    return true;
}

function believed(string $secret, string $body): bool
{
    if ($secret === '') {
        return true;
    }
    $parts = explode('=', $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '', 2);
    $signature = $parts[1] ?? '';
    return $signature !== ''
        && in_array($parts[0], hash_hmac_algos(), true)
        && hash_equals(hash_hmac($parts[0], $body, $secret), $signature);
}

header('Content-Type: text/plain');
if (!believed($secret, $body)) {
    http_response_code(401);
    echo '401 Unauthorized';
    return true;
}
$delivery = json_decode($body, true);
foreach ($delivery['events'] ?? [] as $event) {
    // The same event may come again: remember $event['data']['id'].
    file_put_contents('php://stdout', "{$event['type']} {$event['data']['id']}\n");
}
echo 'OK';
return true;
