<?php
// The walk through the ten methods in PHP, for whatever carries the call; prints one JSON report (see walk.ts).
// $send gets the method's name and its parameters; it returns the result or a Seen. Wrappers of the family in PHP send
// what was not given as null, which the extension writes as an empty string, or as an empty array.

final class Seen
{
    public function __construct(public string $type, public int $code, public string $message)
    {
    }
}

/** POSTs a body and returns that of the answer. */
function post(string $url, string $type, string $body): string
{
    $http = ['method' => 'POST', 'header' => "Content-Type: $type", 'content' => $body, 'timeout' => 20];
    $answer = file_get_contents($url, false, stream_context_create(['http' => $http]));
    if ($answer === false) {
        throw new RuntimeException("no answer from $url");
    }
    return $answer;
}

function walk(callable $send): void
{
    $try = fn (string $method, array $given) => $send($method, $given + ['apikey' => getenv('API_KEY')]);
    $call = function (string $method, array $given = []) use ($try) {
        $answer = $try($method, $given);
        if ($answer instanceof Seen) {
            throw new RuntimeException("$method: $answer->code $answer->message");
        }
        return $answer;
    };
    $both = [getenv('LIST_ONE'), getenv('LIST_TWO')];
    $options = [
        'list_id' => getenv('LIST_ONE'),
        'subject' => 'Grüße & <Neues> "日本" 50% €',
        'from_email' => 'editors@example.com',
        'from_name' => 'Die Redaktion',
        'generate_text' => true,
    ];
    $report = ['templates' => $call('campaignTemplates')];
    $cid = $report['created'] = $call('campaignCreate', [
        'type' => 'HTML',
        'options' => $options + [
            'title' => 'First',
            'tracking' => ['opens' => false, 'html_clicks' => false, 'text_clicks' => true],
            'analytics' => ['google' => 'spring & sale'],
        ],
        'content' => ['html' => "<p>Dear *|FNAME:friend|*,\n<b>größer &amp; \"better\"</b></p>"],
        'type_opts' => [],
    ]);
    $report['fromTemplate'] = $call('campaignCreate', [
        'type' => 'HTML',
        'options' => ['list_id' => $both] + $options,
        'content' => ['template_id' => $report['templates'][0]['id']],
        'type_opts' => null,
    ]);
    foreach (['title' => '007', 'tracking' => ['html_clicks' => true], 'list_id' => $both] as $name => $value) {
        $report['updated'][] = $call('campaignUpdate', ['cid' => $cid, 'name' => $name, 'value' => $value]);
    }
    $report['tested'] = $call('campaignSendTest', [
        'cid' => $cid,
        'test_emails' => ['test1@example.com', 'test2@example.com'],
        'send_type' => 'plain',
    ]);
    $time = '2099-01-31 09:00:00 +0100';
    $report['scheduled'] = $call('campaignSchedule', ['cid' => $cid, 'schedule_time' => $time]);
    $report['whenScheduled'] = $call('campaigns', ['filters' => ['campaign_id' => $cid]]);
    $report['unscheduled'] = $call('campaignUnschedule', ['cid' => $cid]);
    $report['replica'] = $call('campaignReplicate', ['cid' => $cid]);
    $report['sent'] = $call('campaignSendNow', ['cid' => $cid]);
    for ($i = 0; $i < 100; $i++) {
        $report['whenSent'] = $call('campaigns', ['filters' => ['campaign_id' => $cid, 'type' => 'HTML']]);
        if ($report['whenSent'][0]['status'] === 'sent') {
            break;
        }
        usleep(200000);
    }
    foreach ([0, 1] as $page) {
        $given = ['filters' => ['status' => 'draft'], 'start' => $page, 'limit' => 1];
        $report['pages'][] = $call('campaigns', $given);
    }
    $report['deleted'] = $call('campaignDelete', ['cid' => $report['replica']]);
    // An empty PHP array stands for an empty struct.
    $report['left'] = $call('campaigns', ['filters' => []]);

    $wrong = [
        ['campaignDelete', ['cid' => 'nowhere']],
        ['campaignSendNow', ['cid' => $cid]],
        ['campaignSchedule', ['cid' => $report['fromTemplate'], 'schedule_time' => 'tomorrow']],
        ['campaigns', ['apikey' => str_repeat('0', 32)]],
    ];
    foreach ($wrong as [$method, $given]) {
        $answer = $try($method, $given);
        if ($answer instanceof Seen) {
            $report['faults'][] = $answer;
        }
    }
    echo json_encode($report, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
}
