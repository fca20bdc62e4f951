package tunnel

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/ownaddress"
	"gateway/internal/resource"
	"gateway/internal/secret"
	"gateway/internal/value"
)

// firstPort is the one that everybody uses; the next tunnels get the next ones.
const firstPort = 51820

// smallestIPv6 is the MTU below which the kernel has no IPv6 on a link.
const smallestIPv6 = 1280

// Interface is one tunnel of this node.
type Interface struct {
	resource.Meta
	Name         string `json:"name" db:"name"`
	Mode         string `json:"mode" db:"mode"`
	AddressCIDR  string `json:"address_cidr" db:"address_cidr"`
	ListenPort   *int   `json:"listen_port" db:"listen_port"`
	ClientRoutes string `json:"client_routes" db:"client_routes"`
	Endpoint     string `json:"endpoint" db:"endpoint"`
	DNS          string `json:"dns" db:"dns"`
	MTU          *int   `json:"mtu" db:"mtu"`
	Active       bool   `json:"active" db:"active"`
	Description  string `json:"description" db:"description"`
	PublicKey    string `json:"public_key" db:"public_key" doc:"Public key, for the other side"`
}

// InterfaceInput is what create and update take.
type InterfaceInput struct {
	Name         string      `json:"name" db:"name" minLength:"1" maxLength:"15" doc:"Name of the interface in the system" example:"wg0"`
	Mode         string      `json:"mode" db:"mode" enum:"server,client" doc:"A server waits for its peers; a client connects to its peer"`
	AddressCIDR  string      `json:"address_cidr" db:"address_cidr" minLength:"3" maxLength:"200" doc:"Address of this node in the tunnel, with its network; one for IPv4 and one for IPv6, separated by a comma" example:"10.8.0.1/24"`
	ListenPort   *int        `json:"listen_port,omitempty" db:"listen_port" minimum:"1" maximum:"65535" doc:"UDP port. Default for a server: the first free one from 51820, and on update the present one; for a client the system chooses" example:"51820"`
	ClientRoutes string      `json:"client_routes,omitempty" db:"client_routes" maxLength:"4000" doc:"server: networks that peers reach through the tunnel besides its own, comma-separated; part of AllowedIPs in their configuration" example:"192.168.1.0/24"`
	Endpoint     string      `json:"endpoint,omitempty" db:"endpoint" maxLength:"300" doc:"server: name or address under which peers reach this node, optionally with a port; needed for their configuration" example:"vpn.example.com"`
	DNS          string      `json:"dns,omitempty" db:"dns" maxLength:"1000" doc:"server: name servers for the configuration of peers, comma-separated" example:"10.8.0.1"`
	MTU          *int        `json:"mtu,omitempty" db:"mtu" minimum:"576" maximum:"65535" doc:"Largest packet in bytes; default: the system's, usually 1420. IPv6 needs 1280"`
	Active       *bool       `json:"active,omitempty" db:"active" doc:"Default: true"`
	Description  string      `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`
	PrivateKey   secret.Text `json:"private_key,omitempty" db:"-" maxLength:"64" doc:"Private key, to keep one that peers know. Default: a new one, and on update the present one"`

	keys *pair // that are new
}

func (t *tunnels) interfaces() resource.Resource[Interface, InterfaceInput] {
	return resource.Resource[Interface, InterfaceInput]{
		Component: wireguard.Name, Noun: "interface", Path: interfacesPath, Table: "tunnel_interfaces", Access: api.Viewer,
		Search: []string{"name", "address_cidr", "endpoint", "description"}, Sort: []string{"name", "mode", "listen_port", "active", "created_at", "updated_at"},
		Filter:   []string{"mode", "active"},
		Unique:   map[string]string{"tunnel_interfaces_name": "name"},
		Name:     func(i Interface) string { return i.Name },
		Validate: validateInterface,
		Derive:   t.deriveInterface,
		After:    refuseWithPeers,
	}
}

// validateInterface also puts every value into the one form that is stored.
func validateInterface(ctx context.Context, tx db.DB, old *Interface, in *InterfaceInput) error {
	var p fault.Problems
	if !wireguard.ValidName(in.Name) {
		p.Add("name", "must be the name of an interface: at most 15 letters, digits, dots, dashes and underscores")
	}
	if err := value.Text(in.Description); err != nil {
		p.AddError("description", err)
	}
	in.Active = value.OrTrue(in.Active)
	in.addresses(&p)
	in.forPeers(&p)
	in.newKeys(&p, old)
	if err := p.Err(); err != nil {
		return err
	}
	if err := in.nameIsFree(ctx, tx); err != nil {
		return err
	}
	if err := in.port(ctx, tx, old); err != nil {
		return err
	}
	if err := in.addressIsFree(ctx, tx, old); err != nil {
		return err
	}
	if old == nil {
		return nil
	}
	if err := in.renamed(ctx, tx, old.Name); err != nil {
		return err
	}
	return in.besidePeers(ctx, tx, old.ID)
}

func (in *InterfaceInput) addresses(p *fault.Problems) {
	all, err := wireguard.ParseAddresses(in.AddressCIDR)
	if err != nil {
		p.AddError("address_cidr", err)
		return
	}
	in.AddressCIDR = joined(all)
	if in.tooSmallForIPv6() && slices.ContainsFunc(all, func(a netip.Prefix) bool { return a.Addr().Is6() }) {
		p.Add("mtu", "must be at least %d for IPv6", smallestIPv6)
	}
}

func (in *InterfaceInput) tooSmallForIPv6() bool { return in.MTU != nil && *in.MTU < smallestIPv6 }

func joined[T fmt.Stringer](all []T) string {
	words := make([]string, len(all))
	for i, one := range all {
		words[i] = one.String()
	}
	return strings.Join(words, ", ")
}

// forPeers judges what is there for the configurations of peers alone. A client has no such
// peers: it would look as if it were heeded.
func (in *InterfaceInput) forPeers(p *fault.Problems) {
	for field, text := range map[string]string{"client_routes": in.ClientRoutes, "endpoint": in.Endpoint, "dns": in.DNS} {
		if in.Mode == wireguard.Client && text != "" {
			p.Add(field, "is allowed only for a server")
		}
	}
	routes, err := wireguard.ParseAllowed(words(in.ClientRoutes))
	if err != nil {
		p.AddError("client_routes", err)
	}
	in.ClientRoutes = joined(routes)
	if in.Endpoint != "" {
		if in.Endpoint, err = reach(in.Endpoint); err != nil {
			p.AddError("endpoint", err)
		}
	}
	servers := words(in.DNS)
	for i, s := range servers {
		if servers[i], err = value.HostOrName(s); err != nil {
			p.AddError("dns", err)
		}
	}
	in.DNS = strings.Join(servers, ", ")
}

// words are those of a comma-separated list.
func words(list string) []string {
	var out []string
	for w := range strings.SplitSeq(list, ",") {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// reach is a host, or host:port.
func reach(s string) (string, error) {
	if host, err := value.HostOrName(strings.Trim(s, "[]")); err == nil {
		return host, nil
	}
	e, err := wireguard.ParseEndpoint(s)
	if err != nil {
		return "", fault.Say("must be a name or an address, optionally with a port")
	}
	return e.String(), nil
}

// withPort is where a server is dialled.
func withPort(endpoint string, port int) string {
	if e, err := wireguard.ParseEndpoint(endpoint); err == nil {
		return e.String()
	}
	return net.JoinHostPort(endpoint, strconv.Itoa(port))
}

// newKeys reads a private key that was given, or makes one for a new tunnel.
func (in *InterfaceInput) newKeys(p *fault.Problems, old *Interface) {
	if in.PrivateKey == "" {
		if old == nil {
			keys, err := newPair()
			in.keys = &keys
			if err != nil {
				p.AddError("private_key", err)
			}
		}
		return
	}
	key, err := wireguard.ParseKey(in.PrivateKey.Reveal())
	if err != nil {
		p.AddError("private_key", err)
		return
	}
	keys, err := pairOf(key)
	if err != nil {
		p.Add("private_key", "is not a private key of WireGuard")
	}
	in.keys = &keys
}

// nameIsFree refuses the name of an interface that is something else.
func (in *InterfaceInput) nameIsFree(ctx context.Context, tx db.DB) error {
	var kind string
	err := tx.QueryRow(ctx, `select coalesce(max(type), '') from network_interfaces where name = $1 and type <> 'wireguard'`, in.Name).Scan(&kind)
	if err != nil {
		return fmt.Errorf("look for an interface %s: %w", in.Name, err)
	}
	if kind != "" {
		return conflict("name", fault.Said("is an interface of type %s already", kind))
	}
	return nil
}

// addressIsFree refuses an address or a network that is elsewhere already. A tunnel that is not active may have it: it may
// be there to take the other's place. One that is stored may be older than the rule.
func (in *InterfaceInput) addressIsFree(ctx context.Context, tx db.DB, old *Interface) error {
	if !*in.Active || old != nil && old.Active && old.AddressCIDR == in.AddressCIDR {
		return nil
	}
	all, err := wireguard.ParseAddresses(in.AddressCIDR)
	if err != nil {
		return err
	}
	at := ownaddress.Place{Field: "address_cidr", Interface: in.Name, Tunnel: true}
	if old != nil {
		at.ID = old.ID
	}
	for _, a := range all {
		if err := at.Refuse(ctx, tx, a); err != nil {
			return err
		}
	}
	return nil
}

// renamed refuses another name where zones and routes go by the old one: rules of its zone, those that deny among them,
// would no longer match its packets.
func (in *InterfaceInput) renamed(ctx context.Context, tx db.DB, old string) error {
	if in.Name == old {
		return nil
	}
	var zone string
	var routes int
	err := tx.QueryRow(ctx, `select coalesce((select role from network_interfaces where name = $1), ''), (select count(*) from network_routes where dev = $1)`, old).
		Scan(&zone, &routes)
	switch {
	case err != nil:
		return fmt.Errorf("look for what goes by the name %s: %w", old, err)
	case zone != "":
		return conflict("name", fault.Said("%s is an interface of the zone %s; take it out of there first", old, zone))
	case routes > 0:
		return conflict("name", fault.Said("is used by %d routes; change those first", routes))
	}
	return nil
}

// conflict is a refusal because of something else that is there.
func conflict(field string, why fault.Sentence) error {
	f := fault.New(fault.Conflict, "the request conflicts with what is configured already")
	f.Fields = []fault.Field{{Name: field, Sentence: why}}
	return f
}

// port chooses one that no other tunnel has, or refuses the one that was chosen.
func (in *InterfaceInput) port(ctx context.Context, tx db.DB, old *Interface) error {
	id := ""
	if old != nil {
		id = old.ID
		if in.ListenPort == nil && in.Mode == wireguard.Server {
			in.ListenPort = old.ListenPort
		}
	}
	taken, err := db.List[struct {
		Port int
		Name string
	}](ctx, tx, `select listen_port, name from tunnel_interfaces where listen_port is not null and id::text <> $1`, id)
	if err != nil {
		return fmt.Errorf("list the ports of tunnels: %w", err)
	}
	names := map[int]string{}
	for _, t := range taken {
		names[t.Port] = t.Name
	}
	if in.ListenPort != nil {
		if name := names[*in.ListenPort]; name != "" {
			return conflict("listen_port", fault.Said("is the port of %s already", name))
		}
		return nil
	}
	for port := firstPort; in.Mode == wireguard.Server && port <= 65535; port++ {
		if names[port] == "" {
			in.ListenPort = &port
			break
		}
	}
	return nil
}

// besidePeers holds what changes against the peers that there are.
func (in *InterfaceInput) besidePeers(ctx context.Context, tx db.DB, id string) error {
	peers, err := peersOf(ctx, tx, id, "")
	if err != nil {
		return err
	}
	var p fault.Problems
	for _, peer := range peers {
		if in.keys != nil && peer.PublicKey == in.keys.Public {
			p.Add("private_key", "is the key of the peer %s", peer.Name)
		}
		if in.Mode == wireguard.Client && peer.Endpoint == "" {
			p.Add("mode", "a client needs the endpoint of its peer %s; set that first", peer.Name)
		}
		if in.tooSmallForIPv6() && slices.ContainsFunc(peer.AllowedIPs, func(a netip.Prefix) bool { return a.Addr().Is6() }) {
			p.Add("mtu", "must be at least %d for IPv6", smallestIPv6)
		}
	}
	return p.Err()
}

func (t *tunnels) deriveInterface(_ context.Context, id string, _ *Interface, in *InterfaceInput) (map[string]any, error) {
	if in.keys == nil {
		return nil, nil
	}
	return map[string]any{
		"public_key":  in.keys.Public,
		"private_key": t.Box.Seal([]byte(in.keys.Private.Reveal()), wireguard.InterfaceKeyPlace(id)),
	}, nil
}

// refuseWithPeers keeps a tunnel that has peers.
func refuseWithPeers(ctx context.Context, tx change.Tx, old, now *Interface, _ *InterfaceInput) error {
	if now != nil || old == nil {
		return nil
	}
	return resource.RefuseUsed(ctx, tx, func(u fault.Uses) *fault.Fault {
		return fault.New(fault.Conflict, "the tunnel %s has %d peers; delete those first", old.Name, u.UsedByTotal)
	}, `select 'peer', id::text, name, $2::text from tunnel_peers where interface_id = $1`, old.ID, peersPage(old.ID))
}
