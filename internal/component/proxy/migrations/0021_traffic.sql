-- +goose Up
-- What was asked of sites during the last day, in steps of five minutes; only where something was.
create table proxy_traffic (
	domain_id     uuid not null,
	at            timestamptz not null,
	requests      bigint not null,
	errors        bigint not null,
	client_errors bigint not null,
	milliseconds  bigint not null,
	primary key (domain_id, at)
);
create index proxy_traffic_at on proxy_traffic (at);

-- +goose Down
drop table proxy_traffic;
