<?php
// Calls by PHP's xmlrpc extension, which writes the requests and reads the answers.
require __DIR__ . '/campaign_walk.php';

walk(function (string $method, array $given) {
    $form = ['encoding' => 'utf-8', 'escaping' => 'markup'];
    $answer = post(getenv('BASE_URL') . '/', 'text/xml', xmlrpc_encode_request($method, $given, $form));
    $value = xmlrpc_decode($answer, 'utf-8');
    if (is_array($value) && xmlrpc_is_fault($value)) {
        return new Seen('xmlrpc_is_fault', $value['faultCode'], $value['faultString']);
    }
    return $value;
});
