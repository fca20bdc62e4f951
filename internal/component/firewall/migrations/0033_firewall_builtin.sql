-- +goose Up
-- Services that nearly everybody has. Their ids are the same on every node.
insert into firewall_services (id, revision, created_at, updated_at, name, protocol, port, icmp_type, description, builtin) values
	('00000000-0000-7000-8000-000000300101', 1, now(), now(), 'HTTP', 'tcp', 80, null, 'Web, unencrypted', true),
	('00000000-0000-7000-8000-000000300102', 1, now(), now(), 'HTTPS', 'tcp', 443, null, 'Web', true),
	('00000000-0000-7000-8000-000000300103', 1, now(), now(), 'HTTP/3', 'udp', 443, null, 'Web over QUIC', true),
	('00000000-0000-7000-8000-000000300104', 1, now(), now(), 'SSH', 'tcp', 22, null, 'Secure shell and file transfer', true),
	('00000000-0000-7000-8000-000000300105', 1, now(), now(), 'DNS (TCP)', 'tcp', 53, null, 'Names, long answers', true),
	('00000000-0000-7000-8000-000000300106', 1, now(), now(), 'DNS (UDP)', 'udp', 53, null, 'Names', true),
	('00000000-0000-7000-8000-000000300107', 1, now(), now(), 'NTP', 'udp', 123, null, 'Time', true),
	('00000000-0000-7000-8000-000000300108', 1, now(), now(), 'SMTP', 'tcp', 25, null, 'Mail between servers', true),
	('00000000-0000-7000-8000-000000300109', 1, now(), now(), 'SMTPS', 'tcp', 465, null, 'Sending mail, encrypted from the start', true),
	('00000000-0000-7000-8000-000000300110', 1, now(), now(), 'Submission', 'tcp', 587, null, 'Sending mail', true),
	('00000000-0000-7000-8000-000000300111', 1, now(), now(), 'IMAP', 'tcp', 143, null, 'Reading mail', true),
	('00000000-0000-7000-8000-000000300112', 1, now(), now(), 'IMAPS', 'tcp', 993, null, 'Reading mail, encrypted from the start', true),
	('00000000-0000-7000-8000-000000300113', 1, now(), now(), 'POP3S', 'tcp', 995, null, 'Fetching mail, encrypted from the start', true),
	('00000000-0000-7000-8000-000000300114', 1, now(), now(), 'PostgreSQL', 'tcp', 5432, null, 'Database', true),
	('00000000-0000-7000-8000-000000300115', 1, now(), now(), 'MySQL', 'tcp', 3306, null, 'Database, MariaDB too', true),
	('00000000-0000-7000-8000-000000300116', 1, now(), now(), 'RDP', 'tcp', 3389, null, 'Remote desktop', true),
	('00000000-0000-7000-8000-000000300117', 1, now(), now(), 'WireGuard', 'udp', 51820, null, 'VPN', true),
	('00000000-0000-7000-8000-000000300118', 1, now(), now(), 'Ping', 'icmp', null, 8, 'Echo requests of IPv4', true),
	('00000000-0000-7000-8000-000000300119', 1, now(), now(), 'Ping6', 'icmpv6', null, 128, 'Echo requests of IPv6', true);

insert into firewall_service_groups (id, revision, created_at, updated_at, name, description, builtin) values
	('00000000-0000-7000-8000-000000300201', 1, now(), now(), 'Web', 'Web in all its forms', true),
	('00000000-0000-7000-8000-000000300202', 1, now(), now(), 'Mail-Submit', 'Sending mail', true),
	('00000000-0000-7000-8000-000000300203', 1, now(), now(), 'Mail-Receive', 'Receiving and reading mail', true),
	('00000000-0000-7000-8000-000000300204', 1, now(), now(), 'DNS', 'Names', true),
	('00000000-0000-7000-8000-000000300205', 1, now(), now(), 'Ping', 'Echo requests of both families', true);

insert into firewall_service_members (id, revision, created_at, updated_at, group_id, object_id) values
	('00000000-0000-7000-8000-000000300301', 1, now(), now(), '00000000-0000-7000-8000-000000300201', '00000000-0000-7000-8000-000000300101'),
	('00000000-0000-7000-8000-000000300302', 1, now(), now(), '00000000-0000-7000-8000-000000300201', '00000000-0000-7000-8000-000000300102'),
	('00000000-0000-7000-8000-000000300303', 1, now(), now(), '00000000-0000-7000-8000-000000300201', '00000000-0000-7000-8000-000000300103'),
	('00000000-0000-7000-8000-000000300304', 1, now(), now(), '00000000-0000-7000-8000-000000300202', '00000000-0000-7000-8000-000000300109'),
	('00000000-0000-7000-8000-000000300305', 1, now(), now(), '00000000-0000-7000-8000-000000300202', '00000000-0000-7000-8000-000000300110'),
	('00000000-0000-7000-8000-000000300306', 1, now(), now(), '00000000-0000-7000-8000-000000300203', '00000000-0000-7000-8000-000000300108'),
	('00000000-0000-7000-8000-000000300307', 1, now(), now(), '00000000-0000-7000-8000-000000300203', '00000000-0000-7000-8000-000000300111'),
	('00000000-0000-7000-8000-000000300308', 1, now(), now(), '00000000-0000-7000-8000-000000300203', '00000000-0000-7000-8000-000000300112'),
	('00000000-0000-7000-8000-000000300309', 1, now(), now(), '00000000-0000-7000-8000-000000300203', '00000000-0000-7000-8000-000000300113'),
	('00000000-0000-7000-8000-000000300310', 1, now(), now(), '00000000-0000-7000-8000-000000300204', '00000000-0000-7000-8000-000000300105'),
	('00000000-0000-7000-8000-000000300311', 1, now(), now(), '00000000-0000-7000-8000-000000300204', '00000000-0000-7000-8000-000000300106'),
	('00000000-0000-7000-8000-000000300312', 1, now(), now(), '00000000-0000-7000-8000-000000300205', '00000000-0000-7000-8000-000000300118'),
	('00000000-0000-7000-8000-000000300313', 1, now(), now(), '00000000-0000-7000-8000-000000300205', '00000000-0000-7000-8000-000000300119');

-- +goose Down
delete from firewall_service_members;
delete from firewall_service_groups;
delete from firewall_services;
