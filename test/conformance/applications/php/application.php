<?php
// A site with a sign-up widget, a shop and a newsletter. Posts forms and reads PHP; the campaign goes by ext-xmlrpc with its
// defaults, from text in ISO-8859-1.
// php application.php widget|shop|campaign|leave

$address = rtrim(getenv('MAIL_URL'), '/');
$key = getenv('MAIL_KEY');

function post($url, $type, $body)
{
    $http = ['method' => 'POST', 'header' => "Content-Type: $type", 'content' => $body, 'ignore_errors' => true];
    return file_get_contents($url, false, stream_context_create(['http' => $http]));
}

function call($method, $params)
{
    global $address, $key;
    $body = http_build_query(['apikey' => $key] + $params);
    $answer = unserialize(post("$address/1.8/?output=php&method=$method", 'application/x-www-form-urlencoded', $body));
    if (is_array($answer) && isset($answer['error'])) exit("$method: $answer[error] ($answer[code])\n");
    return $answer;
}

function call_xml($method, $params)
{
    global $address, $key;
    $body = xmlrpc_encode_request($method, ['apikey' => $key] + $params);
    $answer = xmlrpc_decode(post("$address/xmlrpc", 'text/xml', $body), 'utf-8');
    if (is_array($answer) && xmlrpc_is_fault($answer)) exit("$method: $answer[faultString] ($answer[faultCode])\n");
    return $answer;
}

$lists = call('lists', []);
$list = $lists[0]['id'];

switch ($argv[1]) {
    case 'widget':
        // What the form posts, the widget's own fields included.
        parse_str(stream_get_contents(STDIN), $posted);
        call('listSubscribe', ['id' => $list, 'email_address' => $posted['EMAIL'], 'merge_vars' => $posted,
            'email_type' => 'html', 'double_optin' => true, 'update_existing' => true, 'send_welcome' => false]);
        break;
    case 'shop':
        call('listMergeVarAdd', ['id' => $list, 'tag' => 'REGISTRATIONDATE', 'name' => 'Registered',
            'options' => ['field_type' => 'date', 'req' => false]]);
        $batch = [];
        foreach ([17 => ['anna', 'Änne', '2015-12-25'], 42 => ['jiro', '日本', '2016-01-05'], 43 => ['odd', "O’Hara 😀", null]] as $id => $row)
            $batch[$id] = ['EMAIL' => "$row[0]@shop.example", 'FNAME' => $row[1], 'LNAME' => null,
                'REGISTRATIONDATE' => $row[2] ? date('d/m/Y', strtotime($row[2])) : '0000-00-00'];
        $result = call('listBatchSubscribe', ['id' => $list, 'batch' => $batch, 'double_optin' => false, 'update_existing' => true]);
        echo "$result[success_count] stored, $result[error_count] refused\n";
        break;
    case 'campaign':
        $html = '<p>Gr&uuml;ne W' . "\xe4" . 'lder</p><p><a href="https://shop.example/news">Neues</a></p><p><a href="*|UNSUB|*">Abmelden</a></p>';
        $cid = call_xml('campaignCreate', ['type' => 'html',
            'options' => ['list_id' => $list, 'subject' => "Gr\xfc\xdfe", 'from_email' => 'news@shop.example', 'from_name' => "B\xe4cker"],
            'content' => ['html' => $html, 'plain' => "Gr\xfc\xdfe: https://shop.example/news *|UNSUB|*"]]);
        call_xml('campaignSendNow', ['cid' => $cid]);
        break;
    case 'leave':
        call('listUnsubscribe', ['id' => $list, 'email_address' => 'reader@shop.example', 'delete_member' => false,
            'send_goodbye' => false, 'send_notify' => false]);
        foreach (call('listMembers', ['id' => $list, 'status' => 'unsubscribed', 'start' => 0, 'limit' => 100]) as $member)
            echo "$member[email]\n";
}
