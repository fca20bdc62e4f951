-- +goose Up
-- Tunnels of this node. The peer that a client tunnel dials is a peer like any other.
create table tunnel_interfaces (
	id            uuid primary key,
	revision      bigint not null,
	created_at    timestamptz not null,
	updated_at    timestamptz not null,
	name          text collate "C" not null,
	mode          text collate "C" not null check (mode in ('server', 'client')),
	address_cidr  text collate "C" not null, -- one address with its network for each family, comma-separated
	listen_port   integer check (listen_port between 1 and 65535),
	client_routes text collate "C" not null, -- networks for the configurations of peers, comma-separated
	endpoint      text collate "C" not null, -- host or host:port by which peers reach a server
	dns           text collate "C" not null, -- name servers for the configurations of peers, comma-separated
	mtu           integer check (mtu between 576 and 65535),
	active        boolean not null,
	description   text not null,
	public_key    text collate "C" not null,
	private_key   bytea not null,
	constraint tunnel_interfaces_name unique (name)
);

create table tunnel_peers (
	id            uuid primary key,
	revision      bigint not null,
	created_at    timestamptz not null,
	updated_at    timestamptz not null,
	interface_id  uuid not null,
	name          text not null,
	public_key    text collate "C" not null,
	private_key   bytea, -- where this node made the pair
	preshared_key bytea,
	allowed_ips   text[] collate "C" not null,
	endpoint      text collate "C" not null, -- host:port, or nothing where the peer dials
	keepalive     integer check (keepalive between 1 and 65535), -- seconds
	active        boolean not null,
	expires_at    timestamptz,
	description   text not null,
	constraint tunnel_peers_interface foreign key (interface_id) references tunnel_interfaces (id),
	constraint tunnel_peers_key unique (interface_id, public_key)
);

-- +goose Down
drop table tunnel_peers;
drop table tunnel_interfaces;
