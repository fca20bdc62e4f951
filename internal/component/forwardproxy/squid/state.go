package squid

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/sys"
)

// Settings are what this node's proxy does.
type Settings struct {
	Enabled         *bool    `json:"enabled,omitempty" db:"enabled" doc:"Run the proxy. If off, it is stopped, not started at boot, and its port is closed. Default: unchanged"`
	Port            int      `json:"port,omitempty" db:"port" minimum:"1024" maximum:"65535" default:"3128" doc:"TCP port that clients use"`
	ListenAddresses []string `json:"listen_addresses" db:"listen_addresses" maxItems:"16" doc:"Listen addresses of this node. Empty: all addresses" example:"[\"192.0.2.1\"]"`
	Zones           []string `json:"zones" db:"zones" maxItems:"32" doc:"Zones whose interfaces the packet filter opens the port on. Empty: none" example:"[\"lan\"]"`
	AllowedNetworks []string `json:"allowed_networks" db:"allowed_networks" maxItems:"256" doc:"Networks whose clients may use the proxy; everybody else is denied before any access rule is asked. Empty: nobody" example:"[\"192.0.2.0/24\"]"`
	DefaultAction   string   `json:"default_action,omitempty" db:"default_action" enum:"allow,deny" default:"allow" doc:"What happens to a request that no access rule matches"`
	Ports           []string `json:"ports" db:"ports" maxItems:"64" doc:"Destination ports and ranges that may be requested at all" example:"[\"80\",\"443\",\"1024-65535\"]"`
	ConnectPorts    []string `json:"connect_ports" db:"connect_ports" maxItems:"64" doc:"Destination ports and ranges that may be tunnelled to (CONNECT, as for HTTPS); they must be among ports too" example:"[\"443\"]"`
	CacheSize       *int     `json:"cache_size,omitempty" db:"cache_size" minimum:"0" maximum:"16384" doc:"Size of the cache in memory, in MiB; 0: no cache. Default: unchanged"`
	ParentHost      string   `json:"parent_host,omitempty" db:"parent_host" maxLength:"253" doc:"Address or name of a parent proxy that every request is sent to. Empty: none, requests are sent to their destinations" example:"proxy.example.com"`
	ParentPort      int      `json:"parent_port,omitempty" db:"parent_port" minimum:"1" maximum:"65535" default:"3128" doc:"TCP port of the parent proxy"`
	DNSServers      []string `json:"dns_servers" db:"dns_servers" maxItems:"8" doc:"DNS servers that the proxy asks. Empty: those of this node" example:"[\"9.9.9.9\"]"`
	AccessLog       *bool    `json:"access_log,omitempty" db:"access_log" doc:"Keep a log of requests, with the address of the client and the URL. Default: unchanged"`
	LogRetention    int      `json:"log_retention,omitempty" db:"log_retention" minimum:"1" maximum:"365" default:"14" doc:"Days for which the log of requests is kept"`
	Contact         string   `json:"contact,omitempty" db:"contact" maxLength:"200" doc:"Whom to ask, as shown on the page of a denied request" example:"it@example.com"`
}

// On reports whether the proxy is to run.
func (s Settings) On() bool { return s.Enabled != nil && *s.Enabled }

// Reachable reports whether clients beyond this machine could connect.
func (s Settings) Reachable() bool {
	return len(s.ListenAddresses) == 0 || slices.ContainsFunc(s.ListenAddresses, func(text string) bool {
		a, err := netip.ParseAddr(text)
		return err == nil && !a.IsLoopback()
	})
}

func (s Settings) logs() bool { return s.AccessLog == nil || *s.AccessLog }

func (s Settings) cache() int {
	if s.CacheSize == nil {
		return 0
	}
	return *s.CacheSize
}

// Rule allows or denies the requests that meet its conditions. The first rule that matches decides.
type Rule struct {
	Action string `json:"action" db:"action" enum:"allow,deny" doc:"What happens to a matching request"`
	Type   string `json:"type" db:"type" enum:"source,domain,list,port,url,method,time,user_agent" doc:"What of a request is compared with value"`
	Value  string `json:"value" db:"value" minLength:"1" maxLength:"512" example:"example.com" doc:"source: address or network of the client. domain: host name of the destination; names below it match too. list: name of a list of such names. port: destination port or range. url: URL with * for any characters; of an HTTPS request only host:port is known. method: HTTP method. time: days and hours of this node's time zone, as mon-fri 08:00-18:00. user_agent: part of the User-Agent header, with * for any characters"`

	OnlyFrom   []string `json:"only_from" db:"only_from" maxItems:"64" doc:"Only for clients in these networks. Empty: all clients" example:"[\"192.0.2.64/26\"]"`
	OnlyDuring string   `json:"only_during,omitempty" db:"only_during" maxLength:"64" doc:"Only during these days and hours. Empty: always" example:"mon-fri 08:00-18:00"`
	Name       string   `json:"name,omitempty" db:"name" maxLength:"100" doc:"Name of the rule, as shown on the page of a denied request" example:"No downloads"`
}

// StoredRule is a row.
type StoredRule struct {
	ID string `db:"id"`
	Rule
	Enabled bool `db:"enabled"`
}

// State is everything that is rendered.
type State struct {
	Settings Settings
	Rules    []StoredRule // in the order in which they are asked
	Lists    []List       // by name
	// Own are the addresses of this node, there or to be there.
	Own []netip.Addr
}

func (s *server) load(ctx context.Context, q db.DB, _ daemon.Unseal) (State, error) {
	links, err := s.Host.Interfaces()
	if err != nil {
		return State{}, fmt.Errorf("list the interfaces: %w", err)
	}
	own := sys.Addresses(links)
	s.mu.Lock()
	s.listed = sorted(own)
	s.mu.Unlock()
	state, err := Load(ctx, q, own)
	if err != nil || !s.Names {
		return state, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	state, s.names, err = state.WithAllNames(ctx, q, s.names)
	return state, err
}

// Load reads the rows. present are the addresses that this machine has.
func Load(ctx context.Context, q db.DB, present []netip.Addr) (State, error) {
	settings, err := loadSettings(ctx, q)
	if err != nil {
		return State{}, err
	}
	out := State{Settings: settings}
	if out.Rules, err = db.List[StoredRule](ctx, q, `select id::text, action, type, value, only_from, only_during, name, enabled from forwardproxy_acls order by priority, id`); err != nil {
		return State{}, fmt.Errorf("read the access rules: %w", err)
	}
	if out.Lists, err = db.List[List](ctx, q, `select name, parts from forwardproxy_lists order by name`); err != nil {
		return State{}, fmt.Errorf("read the lists of names: %w", err)
	}
	rows, err := db.List[struct{ Address string }](ctx, q, `select distinct address from network_addresses order by 1`)
	if err != nil {
		return State{}, fmt.Errorf("read the addresses of this node: %w", err)
	}
	out.Own = slices.Clone(present)
	for _, r := range rows {
		if a, err := netip.ParseAddr(r.Address); err == nil {
			out.Own = append(out.Own, a)
		}
	}
	out.Own = sorted(out.Own)
	return out, nil
}

func loadSettings(ctx context.Context, q db.DB) (Settings, error) {
	rows, err := db.List[Settings](ctx, q, `select enabled, port, listen_addresses, zones, allowed_networks, default_action, ports, connect_ports, cache_size,
		parent_host, parent_port, dns_servers, access_log, log_retention, contact from forwardproxy_settings`)
	if err != nil || len(rows) != 1 {
		return Settings{}, fmt.Errorf("read the settings of the forward proxy: %d rows, want one: %w", len(rows), err)
	}
	return rows[0], nil
}

// sorted is each address once, in order, as Squid compares them.
func sorted(in []netip.Addr) []netip.Addr {
	out := make([]netip.Addr, 0, len(in))
	for _, a := range in {
		if a.IsValid() {
			out = append(out, a.Unmap().WithZone(""))
		}
	}
	slices.SortFunc(out, netip.Addr.Compare)
	return slices.Compact(out)
}
