# A site with a sign-up widget, a shop and a newsletter. XMLRPC::Lite finds the types automatically, and gets octets of UTF-8; the widget uses RPC::XML.
# perl application.pl widget|shop|campaign|leave
use strict;
use warnings;
use XMLRPC::Lite;
use RPC::XML;
use RPC::XML::Client;

my $address = "$ENV{MAIL_URL}/1.8/";
my $key = $ENV{MAIL_KEY};

sub call {
    my ($method, %params) = @_;
    my $answer = XMLRPC::Lite->proxy($address)->call($method, { apikey => $key, %params });
    die "$method: " . $answer->faultstring . ' (' . $answer->faultcode . ")\n" if $answer->fault;
    return $answer->result;
}

my $list = call('lists')->[0]{id};

if ($ARGV[0] eq 'widget') {
    # What the form posts, the widget's own fields included. RPC::XML takes characters.
    my %posted = map { s/\+/ /g; s/%(..)/chr hex $1/ge; utf8::decode($_); $_ } map { split /=/, $_, 2 } split /&/, <STDIN>;
    $RPC::XML::ENCODING = 'utf-8';
    my $answer = RPC::XML::Client->new($address)->send_request('listSubscribe', {
        apikey => $key, id => $list, email_address => $posted{EMAIL}, merge_vars => \%posted,
        email_type => 'html', double_optin => RPC::XML::boolean->new(1), update_existing => RPC::XML::boolean->new(1) });
    die ref $answer ? $answer->string : $answer if !ref $answer || $answer->is_fault;
} elsif ($ARGV[0] eq 'shop') {
    call('listMergeVarAdd', id => $list, tag => 'REGISTRATIONDATE', name => 'Registered', options => { field_type => 'date', req => 0 });
    my %batch = (17 => ['anna', 'Änne', '25/12/2015'], 42 => ['jiro', '日本', '05/01/2016'], 43 => ['odd', 'O’Hara 😀', '0000-00-00']);
    for my $row (values %batch) {
        $row = { EMAIL => "$row->[0]\@shop.example", FNAME => $row->[1], LNAME => undef, REGISTRATIONDATE => $row->[2] };
    }
    my $result = call('listBatchSubscribe', id => $list, batch => \%batch, double_optin => 0, update_existing => 1);
    print "$result->{success_count} stored, $result->{error_count} refused\n";
} elsif ($ARGV[0] eq 'campaign') {
    my $html = '<p>Gr&uuml;ne Wälder</p><p><a href="https://shop.example/news">Neues</a></p><p><a href="*|UNSUB|*">Abmelden</a></p>';
    my $cid = call('campaignCreate', type => 'html',
        options => { list_id => $list, subject => 'Grüße', from_email => 'news@shop.example', from_name => 'Bäcker' },
        content => { html => $html, plain => 'Grüße: https://shop.example/news *|UNSUB|*' });
    call('campaignSendNow', cid => $cid);
} elsif ($ARGV[0] eq 'leave') {
    call('listUnsubscribe', id => $list, email_address => 'reader@shop.example', delete_member => 0, send_goodbye => 0, send_notify => 0);
    print "$_->{email}\n" for @{ call('listMembers', id => $list, status => 'unsubscribed', start => 0, limit => 100) };
}
