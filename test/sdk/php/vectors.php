<?php

// Answers the vectors on standard input: one list of results, in their order.

require __DIR__ . '/../../../sdk/php/autoload.php';

set_error_handler(fn (int $level, string $message) => throw new ErrorException($message));
$results = [];
foreach (json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR) as $vector) {
    $receiver = new Postrider\Receiver($vector['secret'], $vector['tolerance']);
    $body = $vector['body'] ?? base64_decode($vector['body_base64']);
    $answer = $receiver->receive($body, $vector['headers'], $vector['now']);
    $pairs = fn (array $event) => [$event['type'], $event['data']['id']];
    $results[] = [
        'status' => $answer->status,
        'text' => $answer->text,
        'events' => $answer->delivery === null ? null : array_map($pairs, $answer->delivery->events),
    ];
}
echo json_encode($results, JSON_THROW_ON_ERROR);
