<?php

// A receiver of the SDK for PHP's own server: appends each event to the file EVENTS as a line of JSON. An event of the type FAILING
// throws, as long as the file FAILING_FILE is there.

require __DIR__ . '/../../../sdk/php/autoload.php';

$receiver = new Postrider\Receiver((string) getenv('SECRET'), seen: new Postrider\SeenFiles((string) getenv('SEEN')));
$receiver->respond(function (Postrider\Delivery $delivery): void {
    if (is_file((string) getenv('FAILING_FILE'))) {
        throw new RuntimeException('failing on purpose');
    }
    foreach ($delivery->events as $event) {
        file_put_contents((string) getenv('EVENTS'), json_encode($event, JSON_THROW_ON_ERROR) . "\n", FILE_APPEND);
    }
});
