package freeradius

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/secret"
)

// Settings are what this node's server does.
type Settings struct {
	Enabled         *bool    `json:"enabled,omitempty" db:"enabled" doc:"Run the server. If off, it is stopped, not started at boot, and its ports are closed. Default: unchanged"`
	ListenAddresses []string `json:"listen_addresses" db:"listen_addresses" maxItems:"16" doc:"Listen addresses of this node. Empty: all addresses" example:"[\"192.0.2.1\"]"`
	AuthPort        int      `json:"auth_port,omitempty" db:"auth_port" minimum:"1" maximum:"65535" default:"1812" doc:"UDP port for sign-ins"`
	AccountingPort  int      `json:"accounting_port,omitempty" db:"accounting_port" minimum:"1" maximum:"65535" default:"1813" doc:"UDP port for accounting. It is answered; nothing is kept of it"`
	Zones           []string `json:"zones" db:"zones" maxItems:"32" doc:"Zones whose interfaces the packet filter opens both ports on. Empty: none" example:"[\"lan\"]"`
}

// On reports whether the server is to run.
func (s Settings) On() bool { return s.Enabled != nil && *s.Enabled }

// Reachable reports whether clients beyond this machine could ask.
func (s Settings) Reachable() bool {
	return len(s.ListenAddresses) == 0 || slices.ContainsFunc(s.ListenAddresses, func(text string) bool {
		a, err := netip.ParseAddr(text)
		return err == nil && !a.IsLoopback()
	})
}

// Client is what asks: an access point, a switch, or a network of them.
type Client struct {
	Name    string
	Address string
	Secret  secret.Text
	// Signed is whether its requests must have a Message-Authenticator.
	Signed bool
}

// User may sign in.
type User struct {
	Name     string
	Password secret.Text
	Enabled  bool
	VLAN     *int
}

// State is everything that is rendered.
type State struct {
	Settings Settings
	// Probe is the secret of sign-ins from this machine; empty while there is none.
	Probe   secret.Text
	Clients []Client
	Users   []User
	sealed  []daemon.Problem // rows whose secret cannot be decrypted
	lost    bool             // there are clients, or users, and none of them is left
}

func load(ctx context.Context, q db.DB, unseal daemon.Unseal) (s State, err error) {
	r, err := loadSettings(ctx, q)
	if err != nil {
		return State{}, err
	}
	s.Settings = r
	if s.Probe, err = LoadProbe(ctx, q, unseal); err != nil {
		return State{}, err
	}
	if err := s.loadClients(ctx, q, unseal); err != nil {
		return State{}, err
	}
	return s, s.loadUsers(ctx, q, unseal)
}

func (s *State) loadClients(ctx context.Context, q db.DB, unseal daemon.Unseal) error {
	clients, err := db.List[struct {
		ID, Name, Address string
		Secret            []byte
		Signed            bool
	}](ctx, q, `select id::text, name, address, secret, require_message_authenticator from radius_clients order by name`)
	if err != nil {
		return fmt.Errorf("read the RADIUS clients: %w", err)
	}
	for _, c := range clients {
		key, err := unseal(c.Secret, SecretPlace(c.ID))
		if err != nil {
			s.leaveOut(fmt.Sprintf("the RADIUS client %q", c.Name), fault.Said("has a secret that cannot be decrypted; enter it again"))
			continue
		}
		s.Clients = append(s.Clients, Client{c.Name, c.Address, key, c.Signed})
	}
	s.lost = len(clients) > 0 && len(s.Clients) == 0
	return nil
}

// leaveOut notes a row that cannot be used. The others can, and each is mended by itself.
func (s *State) leaveOut(subject string, why fault.Sentence) {
	s.sealed = append(s.sealed, daemon.Problem{Subject: subject, Sentence: why})
}

func loadSettings(ctx context.Context, q db.DB) (s Settings, err error) {
	err = q.QueryRow(ctx, `select enabled, listen_addresses, auth_port, accounting_port, zones from radius_settings`).
		Scan(&s.Enabled, &s.ListenAddresses, &s.AuthPort, &s.AccountingPort, &s.Zones)
	if err != nil {
		return Settings{}, fmt.Errorf("read the RADIUS settings: %w", err)
	}
	return s, nil
}

// LoadProbe reads the secret by which this node asks itself; it is empty while there is none that can be decrypted.
func LoadProbe(ctx context.Context, q db.DB, unseal daemon.Unseal) (secret.Text, error) {
	rows, err := db.List[struct {
		ID     string
		Secret []byte
	}](ctx, q, `select id::text, secret from radius_probe`)
	if err != nil {
		return "", fmt.Errorf("read the secret of this node: %w", err)
	}
	if len(rows) != 1 {
		return "", nil
	}
	probe, err := unseal(rows[0].Secret, ProbePlace(rows[0].ID))
	if err != nil {
		return "", nil //nolint:nilerr // the next change of the settings makes another one
	}
	return probe, nil
}

func (s *State) loadUsers(ctx context.Context, q db.DB, unseal daemon.Unseal) error {
	rows, err := db.List[struct {
		ID, Name string
		Password []byte
		Enabled  bool
		VLAN     *int
	}](ctx, q, `select id::text, name, password, enabled, vlan from radius_users order by name`)
	if err != nil {
		return fmt.Errorf("read the RADIUS users: %w", err)
	}
	for _, r := range rows {
		password, err := unseal(r.Password, PasswordPlace(r.ID))
		if err != nil {
			s.leaveOut(fmt.Sprintf("the RADIUS user %q", r.Name), fault.Said("has a password that cannot be decrypted; enter it again"))
			continue
		}
		s.Users = append(s.Users, User{r.Name, password, r.Enabled, r.VLAN})
	}
	s.lost = s.lost || len(rows) > 0 && len(s.Users) == 0
	return nil
}
