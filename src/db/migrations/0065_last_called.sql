-- What the service called the event of the last request, such as orders/create: with the body, for the screen on which it is mapped.
alter table incoming_webhook add column last_called text not null default '';
