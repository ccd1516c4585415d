# All ten methods by Perl's RPC::XML; prints one JSON report (see walk.ts). Values are given bare, so that the client
# guesses their types: the title 007 travels as an int, truths as the ints 1 and 0.
use strict;
use warnings;
use utf8;
use JSON::PP;
use RPC::XML;
use RPC::XML::Client;

$RPC::XML::ENCODING = 'utf-8';
my $client = RPC::XML::Client->new("$ENV{BASE_URL}/RPC2");
my $html = qq(<p>Dear *|FNAME:friend|*,\n<b>größer &amp; "better"</b></p>);
my %report;

sub answer {
    my ($method, %given) = @_;
    my $answer = $client->send_request($method, { apikey => $ENV{API_KEY}, %given });
    die "$method: $answer\n" unless ref $answer;
    return $answer;
}

sub call {
    my ($method, %given) = @_;
    my $answer = answer($method, %given);
    die "$method: " . $answer->code . ' ' . $answer->string . "\n" if $answer->is_fault;
    return plain($answer);
}

# The answer with JSON's types, by the types it has on the wire.
sub plain {
    my ($value) = @_;
    return $value->value ? JSON::PP::true : JSON::PP::false if $value->isa('RPC::XML::boolean');
    return $value->value + 0 if $value->isa('RPC::XML::int');
    return [ map { plain($_) } @{$value} ] if $value->isa('RPC::XML::array');
    return { map { $_ => plain($value->{$_}) } keys %{$value} } if $value->isa('RPC::XML::struct');
    return $value->value if $value->isa('RPC::XML::string');
    die 'a value of type ' . ref($value) . "\n";
}

sub options {
    return {
        list_id => $ENV{LIST_ONE},
        subject => 'Grüße & <Neues> "日本" 50% €',
        from_email => 'editors@example.com',
        from_name => 'Die Redaktion',
        generate_text => 1,
        @_,
    };
}

$report{templates} = call('campaignTemplates');
my $cid = $report{created} = call(
    'campaignCreate',
    type => 'HTML',
    options => options(
        title => 'First',
        tracking => { opens => 0, html_clicks => 0, text_clicks => 1 },
        analytics => { google => 'spring & sale' },
    ),
    content => { html => $html },
);
my @both = ($ENV{LIST_ONE}, $ENV{LIST_TWO});
$report{fromTemplate} = call(
    'campaignCreate',
    type => 'HTML',
    options => options(list_id => [@both]),
    content => { template_id => $report{templates}[0]{id} },
);
$report{updated} = [
    call('campaignUpdate', cid => $cid, name => 'title', value => '007'),
    call('campaignUpdate', cid => $cid, name => 'tracking', value => { html_clicks => RPC::XML::boolean->new(1) }),
    call('campaignUpdate', cid => $cid, name => 'list_id', value => [@both]),
];
$report{tested} = call(
    'campaignSendTest',
    cid => $cid,
    test_emails => [ 'test1@example.com', 'test2@example.com' ],
    send_type => 'plain',
);
$report{scheduled} = call('campaignSchedule', cid => $cid, schedule_time => '2099-01-31 09:00:00 +0100');
$report{whenScheduled} = call('campaigns', filters => { campaign_id => $cid });
$report{unscheduled} = call('campaignUnschedule', cid => $cid);
$report{replica} = call('campaignReplicate', cid => $cid);
$report{sent} = call('campaignSendNow', cid => $cid);
for (1 .. 100) {
    $report{whenSent} = call('campaigns', filters => { campaign_id => $cid, type => 'HTML' });
    last if $report{whenSent}[0]{status} eq 'sent';
    select undef, undef, undef, 0.2;
}
$report{pages} = [ map { call('campaigns', filters => { status => 'draft' }, start => $_, limit => 1) } 0, 1 ];
$report{deleted} = call('campaignDelete', cid => $report{replica});
$report{left} = call('campaigns');

for (
    [ 'campaignDelete', cid => 'nowhere' ],
    [ 'campaignSendNow', cid => $cid ],
    [ 'campaignSchedule', cid => $report{fromTemplate}, schedule_time => 'tomorrow' ],
    [ 'campaigns', apikey => '0' x 32 ],
) {
    my $answer = answer(@{$_});
    next unless $answer->is_fault;
    push @{ $report{faults} }, { type => ref $answer, code => $answer->code + 0, message => $answer->string };
}
print JSON::PP->new->utf8->encode(\%report);
