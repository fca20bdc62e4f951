package chrony

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/value"
)

// Settings are what the node does with its clock.
type Settings struct {
	Enabled         *bool    `json:"enabled,omitempty" db:"enabled" doc:"Run the daemon. If off, it is stopped, not started at boot, and its port is closed. Default: unchanged"`
	ListenAddresses []string `json:"listen_addresses" db:"listen_addresses" maxItems:"16" doc:"Listen addresses: at most one IPv4 and one IPv6 address. Empty: all addresses; if only one family is given, only that family" example:"[\"192.0.2.1\"]"`
	AllowACL        []string `json:"allow_acl" db:"allow_acl" maxItems:"500" doc:"Allowed clients: addresses and networks" example:"[\"192.0.2.0/24\"]"`
	ServeClients    bool     `json:"serve_clients" db:"serve_clients" doc:"Serve time to clients. If off, the daemon is a client only and accepts no connections"`
	Makestep        bool     `json:"makestep" db:"makestep" doc:"Step the clock if it is off by more than a second in the first three updates after startup. If off, it is only slewed"`
	Rtcsync         bool     `json:"rtcsync" db:"rtcsync" doc:"Synchronise the hardware clock (rtcsync), every 11 minutes"`
}

// Source is where the time comes from.
type Source struct {
	Kind    string `json:"kind" db:"kind" enum:"pool,server" doc:"A pool is a name that resolves to many servers; about four servers are used in total"`
	Address string `json:"address" db:"address" example:"ntp.example.com" doc:"Name or IP address"`
	Iburst  bool   `json:"iburst" db:"iburst" doc:"Fast initial sync: send a burst of requests at startup (iburst)"`
	Prefer  bool   `json:"prefer" db:"prefer" doc:"Prefer it over other sources, as long as it agrees with them"`
	Minpoll *int   `json:"minpoll" db:"minpoll" doc:"Minimum poll interval, as a power of two in seconds; null for the default, 6 (64 s)"`
	Maxpoll *int   `json:"maxpoll" db:"maxpoll" doc:"Maximum poll interval, as a power of two in seconds; null for the default, 10 (17 min)"`
}

// State is everything that is rendered.
type State struct {
	Settings Settings
	Sources  []Source
}

func load(ctx context.Context, q db.DB, _ daemon.Unseal) (State, error) {
	settings, err := loadSettings(ctx, q)
	if err != nil {
		return State{}, err
	}
	sources, err := db.List[Source](ctx, q, `select kind, address, iburst, prefer, minpoll, maxpoll from ntp_pools order by address, kind`)
	if err != nil {
		return State{}, fmt.Errorf("read the time sources: %w", err)
	}
	return State{settings, sources}, nil
}

func loadSettings(ctx context.Context, q db.DB) (Settings, error) {
	rows, err := db.List[Settings](ctx, q, `select enabled, listen_addresses, allow_acl, serve_clients, makestep, rtcsync from ntp_settings`)
	if err != nil {
		return Settings{}, fmt.Errorf("read the NTP settings: %w", err)
	}
	if len(rows) != 1 {
		return Settings{}, fmt.Errorf("read the NTP settings: %d rows, want one", len(rows))
	}
	return rows[0], nil
}

// On reports whether the daemon is to run.
func (s Settings) On() bool { return s.Enabled == nil || *s.Enabled }

// reachable reports whether clients beyond this machine could ask.
func (s Settings) reachable() bool {
	return len(s.ListenAddresses) == 0 || slices.ContainsFunc(s.ListenAddresses, func(text string) bool {
		a, err := netip.ParseAddr(text)
		return err == nil && !a.IsLoopback()
	})
}

// Validate reports everything that is wrong, and spells what is right the one way it is stored in.
func (s *Settings) Validate(p *fault.Problems) {
	s.ListenAddresses = each(p, "listen_addresses", s.ListenAddresses, listenAddress)
	s.AllowACL = each(p, "allow_acl", s.AllowACL, network)
	families := map[bool]bool{}
	for i, text := range s.ListenAddresses {
		a, err := netip.ParseAddr(text)
		if err != nil {
			continue // told already
		}
		if families[a.Is4()] {
			p.Add(at("listen_addresses", i), "exceeds the limit: chrony listens on one IPv4 and one IPv6 address. "+
				"Leave the list empty to listen on all addresses; allow_acl defines who is answered")
		}
		families[a.Is4()] = true
	}
}

func at(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }

// each spells all values of a list, and tells of those that it cannot, or that are there twice.
func each(p *fault.Problems, field string, values []string, spell func(string) (string, error)) []string {
	out := make([]string, 0, len(values)) // never nil: a list of none is [] in JSON and in a row
	for i, v := range values {
		spelled, err := spell(v)
		switch {
		case err != nil:
			p.AddError(at(field, i), err)
			spelled = v
		case slices.Contains(out, spelled):
			p.Add(at(field, i), "is a duplicate")
		}
		out = append(out, spelled)
	}
	return out
}

// listenAddress and network are the grammar of all components, as text.
func listenAddress(text string) (string, error) { return spelled(value.Listen(text)) }

func network(text string) (string, error) {
	n, err := value.Prefix(text)
	return value.Short(n), err
}

func spelled(a netip.Addr, err error) (string, error) { return a.String(), err }

const (
	leastPoll, mostPoll = -6, 24
	defaultMinpoll      = 6
)

// Validate is as for Settings.
func (s *Source) Validate(p *fault.Problems) {
	if s.Kind != "pool" && s.Kind != "server" {
		p.Add("kind", "must be pool or server")
	}
	if spelled, err := value.HostOrName(s.Address); err != nil {
		p.AddError("address", err)
	} else {
		s.Address = spelled
	}
	inRange := func(field string, poll *int) bool {
		ok := poll == nil || *poll >= leastPoll && *poll <= mostPoll
		if !ok {
			p.Add(field, "must be between %d and %d (a power of two in seconds)", leastPoll, mostPoll)
		}
		return ok
	}
	low, high := inRange("minpoll", s.Minpoll), inRange("maxpoll", s.Maxpoll)
	if !low || !high || s.Maxpoll == nil {
		return
	}
	least := defaultMinpoll
	if s.Minpoll != nil {
		least = *s.Minpoll
	}
	if *s.Maxpoll < least {
		p.Add("maxpoll", "must be at least minpoll, which is %d", least)
	}
}
