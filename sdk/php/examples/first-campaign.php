<?php

// A first campaign: a list, three subscribers, a test message, sending, the report. Run it against an installation:
// POSTRIDER_URL=http://127.0.0.1:8080 POSTRIDER_API_KEY=... php first-campaign.php

declare(strict_types=1);

use Postrider\Client;
use Postrider\PostriderError;

require __DIR__ . '/../autoload.php';

$postrider = new Client((string) getenv('POSTRIDER_URL'), (string) getenv('POSTRIDER_API_KEY'));

$list = $postrider->listCreate(title: 'Readers');
$added = $postrider->listBatchSubscribe(id: $list, double_optin: false, batch: [
    ['EMAIL' => 'ada@example.com', 'FNAME' => 'Ada'],
    ['EMAIL' => 'bob@example.com', 'FNAME' => 'Bob'],
    ['EMAIL' => 'cy@example.com', 'FNAME' => 'Cy'],
]);
echo "$added[success_count] subscribed\n";

$campaign = $postrider->campaignCreate(
    type: 'HTML',
    options: [
        'list_id' => $list,
        'subject' => 'Hello *|FNAME:friend|*',
        'from_email' => 'editors@example.com',
        'from_name' => 'The editors',
        'generate_text' => true,
        'auto_footer' => true,
    ],
    content: ['html' => '<h1>Hello *|FNAME:friend|*</h1><p><a href="https://example.com/">Read the news</a></p>'],
);
$postrider->campaignSendTest(cid: $campaign, test_emails: ['me@example.com']);
$postrider->campaignSendNow(cid: $campaign);
do {
    usleep(200_000);
    $progress = $postrider->campaignProgress(cid: $campaign);
} while ($progress['delivery_status'] !== 'sent');
echo "sent to $progress[accepted]\n";

try {
    $postrider->campaignSendNow(cid: $campaign);
} catch (PostriderError $error) {
    echo "fault {$error->getCode()}: {$error->getMessage()}\n";
}
