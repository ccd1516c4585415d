# Sends the values of the table with each way that Perl has: perl send.pl VARIANT. In a variant with "characters" the strings
# are characters, otherwise octets of UTF-8.
use strict;
use warnings;
no warnings 'once';
use Encode;
use LWP::UserAgent;

my $variant = $ARGV[0];
my ($module, $strings) = $variant =~ /^([a-z]+)-(octets|characters|latin1)$/ or die "unknown variant $variant\n";
my $address = "$ENV{MAIL_URL}/xmlrpc";
my $case;

# Each client gets the header that names the case.
{
    no warnings 'redefine';
    my $request = \&LWP::UserAgent::request;
    *LWP::UserAgent::request = sub { $_[1]->header('X-Case' => $case); goto &$request };
}

sub call {
    my ($method, %params) = @_;
    $params{apikey} = $ENV{MAIL_KEY};
    if ($module eq 'lite') {
        require XMLRPC::Lite;
        XMLRPC::Lite->proxy($address)->call($method, \%params);
    } elsif ($module eq 'rpcxml') {
        require RPC::XML;
        require RPC::XML::Client;
        $RPC::XML::ALLOW_NIL = 1;
        $RPC::XML::ENCODING = 'utf-8' if $strings eq 'characters';
        RPC::XML::Client->new($address)->send_request($method, \%params);
    } elsif ($module eq 'frontier') {
        require Frontier::Client;
        Frontier::Client->new(url => $address, $strings eq 'latin1' ? (encoding => 'ISO-8859-1') : ())->call($method, \%params);
    }
}

# A false value of the module's own kind.
sub false {
    return RPC::XML::boolean->new(0) if $module eq 'rpcxml';
    return Frontier::RPC2::Boolean->new(0) if $module eq 'frontier';
    return 0;
}

sub text {
    my ($characters) = @_;
    return $strings eq 'octets' ? encode('UTF-8', $characters) : $strings eq 'latin1' ? encode('ISO-8859-1', $characters) : $characters;
}

# What the client cannot send is passed over.
sub try {
    my ($name, $do) = @_;
    $case = $name;
    eval { $do->(); 1 } or print "$name: $@";
}

sub subscribe {
    my ($name, %vars) = @_;
    try($name, sub { call('listSubscribe', id => $ENV{MAIL_LIST}, email_address => "$name\@client.example", merge_vars => \%vars,
        double_optin => false(), update_existing => 1) });
}

require RPC::XML if $module eq 'rpcxml';
require Frontier::Client if $module eq 'frontier';
subscribe('umlaut', FNAME => text("\x{e4}"));
subscribe('cjk', FNAME => text("\x{65e5}\x{672c}")) if $strings ne 'latin1';
subscribe('emoji', FNAME => text("\x{1f600}")) if $strings ne 'latin1';
subscribe('quote', FNAME => text("O\x{2019}Hara")) if $strings ne 'latin1';
subscribe('word', FNAME => "O\x92Hara");
subscribe('empty', FNAME => '');
subscribe('null', FNAME => undef);
my $date = '20151225T00:00:00';
$date = $module eq 'rpcxml' ? RPC::XML::datetime_iso8601->new($date)
    : $module eq 'frontier' ? Frontier::RPC2::DateTime::ISO8601->new($date)
    : do { require XMLRPC::Lite; SOAP::Data->type(dateTime => $date) };
subscribe('date', BDAY => $date);
subscribe('digits', NUMBER => '00123');
subscribe('int', NUMBER => 123);
subscribe('double', NUMBER => 123.0);
try('boolean', sub { call('listCreate', title => 'Boolean', options => { has_email_type_option => false() }) });
my @rows = ({ EMAIL => 'row1@client.example', FNAME => text("\x{e4}") }, { EMAIL => 'row2@client.example', FNAME => text($strings eq 'latin1' ? "\x{e4}" : "\x{65e5}\x{672c}") });
try('nested', sub { call('listBatchSubscribe', id => $ENV{MAIL_LIST}, batch => \@rows, double_optin => false(), update_existing => 1) });
try('gaps', sub { call('listBatchSubscribe', id => $ENV{MAIL_LIST}, batch => { 17 => $rows[0], 42 => $rows[1] }, double_optin => false(), update_existing => 1) });
