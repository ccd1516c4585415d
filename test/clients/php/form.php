<?php
// Calls as form posts by http_build_query; the argument says how the answer is written: php or json.
require __DIR__ . '/campaign_walk.php';

$output = $argv[1];
walk(function (string $method, array $given) use ($output) {
    $url = getenv('BASE_URL') . "/1.3/?output=$output&method=$method";
    $answer = post($url, 'application/x-www-form-urlencoded', http_build_query($given));
    if ($output === 'php') {
        $value = unserialize($answer, ['allowed_classes' => false]);
        if ($value === false) {
            throw new RuntimeException("$method: cannot be unserialised: $answer");
        }
    } else {
        $value = json_decode($answer, true, 512, JSON_THROW_ON_ERROR);
    }
    if (is_array($value) && isset($value['error'])) {
        return new Seen(implode(', ', array_keys($value)), $value['code'], $value['error']);
    }
    return $value;
});
