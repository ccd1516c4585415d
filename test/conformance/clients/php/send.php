<?php
// Sends the values of the table with each way that PHP has: php send.php VARIANT. The strings are octets of UTF-8, but for WORD.

$variant = $argv[1];
$list = getenv('MAIL_LIST');
$address = rtrim(getenv('MAIL_URL'), '/');

$options = ['ext' => [], 'ext-utf8' => ['encoding' => 'utf-8'], 'ext-markup' => ['escaping' => 'markup', 'encoding' => 'utf-8']];

function call($method, $params)
{
    global $variant, $address, $options;
    $params = ['apikey' => getenv('MAIL_KEY')] + $params;
    $isForm = $variant === 'form';
    $body = $isForm ? http_build_query($params) : xmlrpc_encode_request($method, $params, $options[$variant]);
    $type = $isForm ? 'application/x-www-form-urlencoded' : 'text/xml';
    $http = ['method' => 'POST', 'header' => ["Content-Type: $type", "X-Case: " . $GLOBALS['case']], 'content' => $body, 'ignore_errors' => true];
    file_get_contents($address . ($isForm ? "/1.8/?output=php&method=$method" : '/xmlrpc'), false, stream_context_create(['http' => $http]));
}

function subscribe($case, $vars)
{
    $GLOBALS['case'] = $case;
    call('listSubscribe', ['id' => $GLOBALS['list'], 'email_address' => "$case@client.example", 'merge_vars' => $vars,
        'double_optin' => false, 'update_existing' => true]);
}

subscribe('umlaut', ['FNAME' => 'ä']);
subscribe('cjk', ['FNAME' => '日本']);
subscribe('emoji', ['FNAME' => '😀']);
subscribe('quote', ['FNAME' => 'O’Hara']);
subscribe('word', ['FNAME' => "O\x92Hara"]);
subscribe('empty', ['FNAME' => '']);
subscribe('null', ['FNAME' => null]);
$date = '20151225T00:00:00';
if ($variant === 'form') $date = '25/12/2015';
else xmlrpc_set_type($date, 'datetime');
subscribe('date', ['BDAY' => $date]);
subscribe('digits', ['NUMBER' => '00123']);
subscribe('int', ['NUMBER' => 123]);
subscribe('double', ['NUMBER' => 123.0]);
$case = 'boolean';
call('listCreate', ['title' => 'Boolean', 'options' => ['has_email_type_option' => false]]);
$rows = [['EMAIL' => 'row1@client.example', 'FNAME' => 'ä'], ['EMAIL' => 'row2@client.example', 'FNAME' => '日本']];
$case = 'nested';
call('listBatchSubscribe', ['id' => $list, 'batch' => $rows, 'double_optin' => false, 'update_existing' => true]);
$case = 'gaps';
call('listBatchSubscribe', ['id' => $list, 'batch' => [17 => $rows[0], 42 => $rows[1]], 'double_optin' => false, 'update_existing' => true]);
