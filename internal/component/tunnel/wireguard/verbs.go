package wireguard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/google/renameio/v2"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"
)

// status reads every tunnel and peer as the kernel has it. It looks for trouble itself when
// nobody did yet: right after the start nothing would be wrong.
func (d *tunnels) status(ctx context.Context, _ json.RawMessage) (any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known && !d.looked {
		if err := d.settle(ctx); err != nil {
			return nil, err
		}
	}
	out := Report{Known: d.known, Tunnels: []Link{}, Peers: []Status{}, Wrong: slices.Clone(d.wrong)}
	if len(d.want.Tunnels) == 0 {
		return out, nil
	}
	if err := d.readLinks(&out); err != nil {
		return nil, err
	}
	return out, d.readPeers(&out)
}

// readLinks adds the tunnels whose links are there.
func (d *tunnels) readLinks(out *Report) error {
	conn, err := d.Open()
	if err != nil {
		return err
	}
	defer conn.Close()
	links, err := conn.Links()
	if err != nil {
		return fmt.Errorf("list links: %w", err)
	}
	for _, l := range links {
		if d.ours(l) {
			out.Tunnels = append(out.Tunnels, Link{l.Name, l.Up})
		}
	}
	return nil
}

// readPeers adds the peers of each device.
func (d *tunnels) readPeers(out *Report) error {
	wg, err := d.WG()
	if err != nil {
		return fmt.Errorf("speak to WireGuard: %w", err)
	}
	defer wg.Close()
	for _, t := range d.want.Tunnels {
		dev, err := wg.Device(t.Name)
		if errors.Is(err, os.ErrNotExist) {
			continue // its link is missing
		}
		if err != nil {
			return fmt.Errorf("read tunnel %s: %w", t.Name, err)
		}
		endpoints := t.endpoints()
		for i := range dev.Peers {
			s := d.peerStatus(t.Name, &dev.Peers[i])
			endpoint := endpoints[s.PublicKey]
			_, dialled := d.target(endpoint)
			s.Unresolved = endpoint != "" && !dialled
			out.Peers = append(out.Peers, s)
		}
	}
	return nil
}

func (d *tunnels) peerStatus(tunnel string, p *wgtypes.Peer) Status {
	s := Status{
		Interface: tunnel, PublicKey: p.PublicKey.String(), LastHandshake: p.LastHandshakeTime, Rx: p.ReceiveBytes, Tx: p.TransmitBytes,
		Keepalive: int(p.PersistentKeepaliveInterval.Seconds()), AllowedIPs: make([]string, len(p.AllowedIPs)),
	}
	s.Lost = d.lost(PeerKey{tunnel, s.PublicKey})
	if p.Endpoint != nil {
		s.Endpoint = addrPort(p.Endpoint).String()
	}
	for i, n := range p.AllowedIPs {
		s.AllowedIPs[i] = prefixOf(n).String()
	}
	return s
}

// endpoints takes what names lead to and answers which ones to look up: those that nobody
// looked up yet, and those of peers that do not answer.
func (d *tunnels) endpoints(ctx context.Context, in json.RawMessage) (any, error) {
	var found Found
	if len(in) > 0 {
		if err := json.Unmarshal(in, &found); err != nil {
			return nil, fmt.Errorf("read addresses of endpoints: %w", err)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recalled.Do(d.recallEndpoints)
	if d.takeFound(found) {
		d.rememberEndpoints(ctx)
		if err := d.settle(ctx); err != nil {
			return nil, err
		}
	}
	want := Wanted{Names: []string{}}
	for _, name := range d.names() {
		if d.ask[name] || len(d.found[name]) == 0 {
			want.Names = append(want.Names, name)
		}
	}
	return want, nil
}

func (d *tunnels) takeFound(found Found) (changed bool) {
	names := d.names()
	for _, name := range slices.Sorted(maps.Keys(found)) {
		var addrs []netip.Addr
		for _, s := range found[name] {
			if ip, err := netip.ParseAddr(s); err == nil {
				addrs = append(addrs, ip.Unmap())
			}
		}
		if slices.Contains(names, name) && len(addrs) > 0 {
			d.setAddresses(name, addrs, d.ask[name])
			delete(d.ask, name)
			changed = true
		}
	}
	return changed
}

// rememberEndpoints keeps what names led to. It is for the next boot: a failure is no reason
// not to dial now.
func (d *tunnels) rememberEndpoints(ctx context.Context) {
	if d.Remember == "" {
		return
	}
	keep := map[string][]netip.Addr{}
	for _, name := range d.names() {
		keep[name] = d.found[name]
	}
	data, err := json.Marshal(keep)
	if err == nil {
		err = renameio.WriteFile(d.Remember, data, 0o600)
	}
	if err != nil {
		d.Log.WarnContext(ctx, "remember the addresses of endpoints", "err", err)
	}
}

// recallEndpoints begins with what names led to last.
func (d *tunnels) recallEndpoints() {
	if d.Remember == "" {
		return
	}
	var kept map[string][]netip.Addr
	data, err := os.ReadFile(d.Remember)
	if err != nil || json.Unmarshal(data, &kept) != nil {
		return // they are looked up
	}
	for name, addrs := range kept {
		d.setAddresses(name, addrs, false)
	}
}

// names are those of endpoints, each once.
func (d *tunnels) names() (all []string) {
	for _, t := range d.want.Tunnels {
		for _, p := range t.Peers {
			e, err := ParseEndpoint(p.Endpoint)
			if _, is := e.Addr(); p.Endpoint != "" && err == nil && !is && !slices.Contains(all, e.Host) {
				all = append(all, e.Host)
			}
		}
	}
	return all
}

// LookUpEvery is how often LookUp is to be called: a peer whose address changed must not stay
// silent for long.
const LookUpEvery = 5 * time.Second

const (
	// lookUpTime is how long one name may take: its name servers may be dead.
	lookUpTime   = 3 * time.Second
	lookUpAtOnce = 16
)

// LookUp looks up the names of endpoints that gateway-apply, which has no network, asks for.
// call is that of the component's verbs; where nothing is asked for it is called once.
func LookUp(ctx context.Context, call func(ctx context.Context, verb string, in, out any) error, look func(ctx context.Context, host string) ([]string, error)) error {
	var want Wanted
	if err := call(ctx, EndpointsVerb, Found{}, &want); err != nil || len(want.Names) == 0 {
		return err
	}
	var (
		mu    sync.Mutex // of found and errs
		wg    sync.WaitGroup
		found = Found{}
		errs  []error
		slots = make(chan struct{}, lookUpAtOnce)
	)
	for _, name := range want.Names {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			asked, cancel := context.WithTimeout(ctx, lookUpTime)
			defer cancel()
			addrs, err := look(asked, name)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, fmt.Errorf("look up the endpoint %s: %w", name, err))
			} else {
				found[name] = addrs
			}
		})
	}
	wg.Wait()
	if len(found) > 0 {
		errs = append(errs, call(ctx, EndpointsVerb, found, &want))
	}
	return errors.Join(errs...)
}
