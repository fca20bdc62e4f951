package tunnel_test

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/api/apitest"
	"gateway/internal/component/tunnel"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/identity"
)

// keys are a pair of somebody else's.
func keys(t testing.TB) (public, private string) {
	t.Helper()
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(key.PublicKey().Bytes()), base64.StdEncoding.EncodeToString(key.Bytes())
}

// shows TUN-01, TUN-02, TUN-03, SEC-07
func TestTunnels(t *testing.T) {
	r := newRig(t)
	wg0 := r.server("wg0", "10.8.0.1/24 ,fd00:8::1/64", object{"client_routes": "192.168.1.7/24,10.0.0.0/8", "dns": "10.8.0.1", "mtu": 1400})
	if wg0.AddressCIDR != "10.8.0.1/24, fd00:8::1/64" || wg0.ClientRoutes != "192.168.1.0/24, 10.0.0.0/8" || *wg0.ListenPort != 51820 || !wg0.Active {
		t.Errorf("made %+v", wg0)
	}
	if second := r.server("wg1", "10.9.0.1/24"); *second.ListenPort != 51821 {
		t.Errorf("the second port is %d", *second.ListenPort)
	}
	if up := r.client("wg2", "10.10.0.2/32"); up.ListenPort != nil {
		t.Errorf("a client has the port %d", *up.ListenPort)
	}
	public, private := keys(t)
	one := "/tunnel/interfaces/" + wg0.ID
	changed := r.Edit(one, object{"active": false, "listen_port": nil}).Want(200)
	if changed.Field("public_key") != wg0.PublicKey || changed.Field("listen_port") != "51820" || changed.Field("active") != "false" {
		t.Errorf("without a key and a port it became %s", changed.Data)
	}
	if got := r.Edit(one, object{"private_key": private}).Want(200); got.Field("public_key") != public || strings.Contains(got.Text, private) {
		t.Errorf("with a key it became %s", got.Data)
	}
	list := r.As("viewer", "GET", "/tunnel/interfaces", nil).Want(200)
	if strings.Contains(list.Text, "private_key") || strings.Contains(list.Text, private) || list.Total != "3" {
		t.Errorf("the list is %s", list.Text)
	}
	peer := r.peer(wg0, "ann")
	if got := r.Do("DELETE", one, nil).Want(409).Users(); !slices.Equal(got, []string{"peer ann /tunnels/" + wg0.ID + "?tab=peers"}) {
		t.Errorf("it is used by %q, want its peer", got)
	}
	r.Do("DELETE", "/tunnel/peers/"+peer.ID, nil).Want(200)
	r.Do("DELETE", one, nil).Want(200)
	r.Do("GET", one, nil).Want(404)
}

// shows TUN-04
func TestTunnelsThatMakeNoSense(t *testing.T) {
	r := newRig(t)
	r.server("wg0", "10.8.0.1/24")
	r.Restore(`insert into network_interfaces (id, revision, created_at, updated_at, name, type, parent, members, description)
		values ('00000000-0000-7000-8000-000000000001', 1, now(), now(), 'eth0', 'ethernet', '', '{}', ''),
		('00000000-0000-7000-8000-000000000002', 1, now(), now(), 'wg7', 'wireguard', '', '{}', '')`)
	r.Restore(`insert into network_addresses (id, revision, created_at, updated_at, interface_id, address, prefix, is_vip, vip_priority, description)
		values ('00000000-0000-7000-8000-000000000003', 1, now(), now(), '00000000-0000-7000-8000-000000000001', '192.0.2.1', 24, false, 100, '')`)
	r.server("wg7", "10.7.0.1/24")
	for _, tc := range []struct {
		name, field string
		status      int
		body        object
	}{
		{"no address", "address_cidr", 400, object{"address_cidr": "ten"}},
		{"an address without a network", "address_cidr", 400, object{"address_cidr": "10.8.0.1"}},
		{"two addresses of one family", "address_cidr", 400, object{"address_cidr": "10.8.0.1/24,10.9.0.1/24"}},
		{"a multicast address", "address_cidr", 400, object{"address_cidr": "224.0.0.1/24"}},
		{"routes that are none", "client_routes", 400, object{"client_routes": "home"}},
		{"a name server with a line", "dns", 400, object{"dns": "1.1.1.1\nPostUp = id"}},
		{"an endpoint with a line", "endpoint", 400, object{"endpoint": "a:1\nPostUp = id"}},
		{"a mode that is none", "mode", 400, object{"mode": "mesh"}},
		{"a name with a slash", "name", 400, object{"name": "../x"}},
		{"a name that is taken", "name", 409, object{"name": "wg0"}},
		{"the name of a port", "name", 409, object{"name": "eth0"}},
		{"a port that is taken", "listen_port", 409, object{"listen_port": 51820}},
		{"a port that is none", "listen_port", 400, object{"listen_port": 65536}},
		{"an address of another tunnel", "address_cidr", 400, object{"address_cidr": "fd01::1/64, 10.8.0.1/32"}},
		{"a network of another tunnel", "address_cidr", 400, object{"address_cidr": "10.8.0.9/24"}},
		{"a network of an interface", "address_cidr", 400, object{"address_cidr": "192.0.2.9/24"}},
		{"IPv6 with a small MTU", "mtu", 400, object{"mtu": 1200, "address_cidr": "fd00::1/64"}},
		{"a key that is none", "private_key", 400, object{"private_key": "secret"}},
		{"a client with routes for its peers", "client_routes", 400, object{"mode": "client", "client_routes": "10.0.0.0/8"}},
	} {
		body := apitest.With(object{"name": "x", "mode": "server", "address_cidr": "10.1.0.1/24"}, tc.body)
		if a := r.Do("POST", "/tunnel/interfaces", body); a.Status != tc.status || a.Complaint(tc.field) == "" {
			t.Errorf("%s: answered %d %+v, want %d about %s", tc.name, a.Status, a.Error, tc.status, tc.field)
		}
	}
}

// One that takes the other's place may be made ready beside it.
func TestTheNetworkOfATunnelIsOnNoOther(t *testing.T) {
	r := newRig(t)
	wg0 := "/tunnel/interfaces/" + r.server("wg0", "10.8.0.1/24").ID
	r.Edit(wg0, object{"address_cidr": "10.8.0.2/24"}).Want(200)
	next := "/tunnel/interfaces/" + r.server("wg1", "10.8.0.1/24", object{"active": false}).ID
	if a := r.Edit(next, object{"active": true}); a.Status != 400 || a.Complaint("address_cidr") == "" {
		t.Errorf("a second tunnel into one network answered %d %+v, want 400 about address_cidr", a.Status, a.Error)
	}
	r.Edit(wg0, object{"active": false}).Want(200)
	r.Edit(next, object{"active": true}).Want(200)
	r.Restore(`update tunnel_interfaces set active = true`) // as it was stored before there was the rule
	r.Edit(wg0, object{"description": "the former one"}).Want(200)
	r.client("wg2", "10.2.0.2/32")
	r.client("wg3", "10.2.0.2/32") // as providers give it to everybody
}

// Under another name it would be in no zone: rules that deny would not match its packets, those for any zone would.
func TestATunnelInAZoneKeepsItsName(t *testing.T) {
	r := newRig(t)
	wg7 := "/tunnel/interfaces/" + r.server("wg7", "10.7.0.1/24").ID
	r.Restore(`insert into network_interfaces (id, revision, created_at, updated_at, name, type, role, parent, members, description)
		values ('00000000-0000-7000-8000-000000000002', 1, now(), now(), 'wg7', 'wireguard', 'lan', '', '{}', '')`)
	if a := r.Edit(wg7, object{"name": "wg8"}).Want(409); a.Complaint("name") == "" {
		t.Errorf("answered %s", a.Text)
	}
	r.Restore(`update network_interfaces set role = null`)
	r.Edit(wg7, object{"name": "wg8"}).Want(200)
}

// shows TUN-08, TUN-09, TUN-10, TUN-11, TUN-13
func TestPeers(t *testing.T) {
	r := newRig(t)
	wg0 := r.server("wg0", "10.8.0.1/24, fd00:8::1/64")
	ann := r.peer(wg0, "ann", object{"generate_preshared_key": true})
	if !ann.HasPrivateKey || !ann.HasPresharedKey || !slices.Equal(ann.AllowedIPs, []string{"10.8.0.2/32", "fd00:8::2/128"}) || ann.Keepalive != 0 {
		t.Errorf("ann is %+v", ann)
	}
	public, _ := keys(t)
	site := r.peer(wg0, "branch", object{"public_key": public, "allowed_ips": []string{"10.8.0.3", "192.168.7.9/24"}, "endpoint": "branch.example.com:51820", "keepalive": 20})
	if site.HasPrivateKey || site.HasPresharedKey || !slices.Equal(site.AllowedIPs, []string{"10.8.0.3/32", "192.168.7.0/24"}) || site.Keepalive != 20 {
		t.Errorf("the branch is %+v", site)
	}
	if next := r.peer(wg0, "bob"); !slices.Equal(next.AllowedIPs, []string{"10.8.0.4/32", "fd00:8::3/128"}) {
		t.Errorf("bob has %v", next.AllowedIPs)
	}
	up := r.client("wg1", "10.9.0.2/32")
	r.Do("POST", "/tunnel/peers", object{"interface_id": up.ID, "name": "upstream", "public_key": public}).Want(400)
	upstream := r.peer(up, "upstream", object{"public_key": public, "endpoint": "198.51.100.7:51820"})
	if !slices.Equal(upstream.AllowedIPs, []string{"0.0.0.0/0", "::/0"}) || upstream.Keepalive != 25 {
		t.Errorf("the upstream is %+v", upstream)
	}
	if got := r.Edit("/tunnel/peers/"+upstream.ID, object{"keepalive": 0}).Want(200).Field("keepalive"); got != "0" {
		t.Errorf("keepalive = %s, want it off", got)
	}
	r.Do("DELETE", "/tunnel/peers/"+upstream.ID, nil).Want(200)
	r.Do("GET", "/tunnel/peers/"+upstream.ID, nil).Want(404)
	if got := r.As("viewer", "GET", "/tunnel/peers?filter=interface_id:"+wg0.ID, nil).Want(200).Total; got != "3" {
		t.Errorf("%s peers, want 3", got)
	}
}

// shows TUN-04
func TestPeersThatMakeNoSense(t *testing.T) {
	r := newRig(t)
	wg0 := r.server("wg0", "10.8.0.1/24")
	small := r.server("wg1", "10.9.0.1/30", object{"mtu": 1200})
	ann := r.peer(wg0, "ann")
	r.peer(small, "the only one")
	for _, tc := range []struct {
		name, field, words string
		status             int
		body               object
	}{
		{"allowed IPs that are none", "allowed_ips", "", 400, object{"allowed_ips": []string{"everything"}}},
		{"those of another peer", "allowed_ips", "ann", 409, object{"allowed_ips": []string{"10.8.0.2"}}},
		{"a tunnel without a free address", "allowed_ips", "no address is free", 400, object{"interface_id": small.ID}},
		{"IPv6 where the MTU is too small", "allowed_ips", "1280", 400, object{"interface_id": small.ID, "allowed_ips": []string{"fd00::5"}}},
		{"the tunnel's own key", "public_key", "own key", 400, object{"public_key": wg0.PublicKey}},
		{"another peer's key", "public_key", "taken", 409, object{"public_key": ann.PublicKey}},
		{"a key of zeros", "public_key", "", 400, object{"public_key": base64.StdEncoding.EncodeToString(make([]byte, 32))}},
		{"a preshared key that is none", "preshared_key", "", 400, object{"preshared_key": "hush"}},
		{"an endpoint without a port", "endpoint", "", 400, object{"endpoint": "example.com"}},
		{"a name that is taken", "name", "taken", 409, object{"name": "ann"}},
		{"a name of two lines", "name", "", 400, object{"name": "a\nb"}},
		{"an end in the past", "expires_at", "past", 400, object{"expires_at": time.Now().Add(-time.Hour)}},
		{"no tunnel", "interface_id", "", 400, object{"interface_id": ann.ID}},
		{"a keepalive of a day", "keepalive", "", 400, object{"keepalive": 86400}},
	} {
		body := apitest.With(object{"interface_id": wg0.ID, "name": "x"}, tc.body)
		if a := r.Do("POST", "/tunnel/peers", body); a.Status != tc.status || !strings.Contains(a.Complaint(tc.field), tc.words) || a.Complaint(tc.field) == "" {
			t.Errorf("%s: answered %d %+v, want %d about %s", tc.name, a.Status, a.Error, tc.status, tc.field)
		}
	}
	r.Edit("/tunnel/interfaces/"+wg0.ID, object{"mode": "client", "endpoint": ""}).Want(400) // ann has no endpoint
	if got := r.Edit("/tunnel/peers/"+ann.ID, object{"expires_at": time.Now().Add(time.Hour)}).Want(200).Field("expires_at"); got == "" {
		t.Error("ann does not expire")
	}
}

// shows TUN-15, TUN-16, TUN-17
func TestAPrivateKeyStaysWithItsPublicKey(t *testing.T) {
	r := newRig(t)
	wg0 := r.server("wg0", "10.8.0.1/24")
	ann := r.peer(wg0, "ann")
	at := "/tunnel/peers/" + ann.ID
	for _, same := range []object{{"public_key": ann.PublicKey, "name": "anna"}, {"public_key": ""}} {
		if got := r.Edit(at, same).Want(200); got.Field("has_private_key") != "true" || got.Field("public_key") != ann.PublicKey {
			t.Errorf("with the same key it became %s", got.Data)
		}
	}
	public, _ := keys(t)
	if got := r.Edit(at, object{"public_key": public}).Want(200); got.Field("has_private_key") != "false" {
		t.Errorf("with another key it became %s", got.Data)
	}
	made := r.Do("POST", at+"/generate-keypair", nil).Want(200).Field("public_key")
	if got := r.Do("GET", at, nil); got.Field("has_private_key") != "true" || got.Field("public_key") != made || made == public {
		t.Errorf("with a new pair it became %s", got.Data)
	}
	own := r.Do("POST", "/tunnel/interfaces/"+wg0.ID+"/generate-keypair", nil).Want(200).Field("public_key")
	if got := r.Do("GET", "/tunnel/interfaces/"+wg0.ID, nil).Field("public_key"); got != own || own == wg0.PublicKey {
		t.Errorf("the tunnel has the key %s, was told %s", got, own)
	}
	for _, at := range []string{at, "/tunnel/interfaces/" + wg0.ID} {
		now := r.Do("GET", at, nil)
		stale := r.If(`"1"`, "POST", at+"/generate-keypair", nil)
		if key := r.Do("GET", at, nil).Field("public_key"); stale.Status != 412 || key != now.Field("public_key") {
			t.Errorf("a pair for an old version of %s answered %d, and the key became %s", at, stale.Status, key)
		}
		r.If(`"`+now.Field("revision")+`"`, "POST", at+"/generate-keypair", nil).Want(200)
	}
	r.As("viewer", "POST", at+"/generate-keypair", nil).Want(403)
	r.Do("POST", "/tunnel/peers/"+wg0.ID+"/generate-keypair", nil).Want(404)
	if actions := r.Actions(); !slices.Contains(actions, "tunnel.peer.generate_keypair anna") {
		t.Errorf("the audit log has %v", actions)
	}
}

// shows SEC-01, SEC-07
func TestKeysAreSealed(t *testing.T) {
	r := newRig(t)
	public, private := keys(t)
	_, shared := keys(t)
	wg0 := r.server("wg0", "10.8.0.1/24", object{"private_key": private})
	if wg0.PublicKey != public {
		t.Errorf("the public key is %s, want %s", wg0.PublicKey, public)
	}
	ann := r.peer(wg0, "ann", object{"preshared_key": shared})
	var own, hers, both []byte
	err := r.Pool.QueryRow(t.Context(), `select i.private_key, p.private_key, p.preshared_key from tunnel_interfaces i join tunnel_peers p on p.interface_id = i.id`).Scan(&own, &hers, &both)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		sealed []byte
		want   string
		where  func() (string, error)
	}{
		"the tunnel's": {own, private, func() (string, error) {
			text, err := r.Box.Unseal(own, wireguard.InterfaceKeyPlace(wg0.ID))
			return text.Reveal(), err
		}},
		"the preshared": {both, shared, func() (string, error) {
			text, err := r.Box.Unseal(both, wireguard.PresharedKeyPlace(ann.ID))
			return text.Reveal(), err
		}},
	} {
		raw, _ := base64.StdEncoding.DecodeString(tc.want)
		if got, err := tc.where(); err != nil || got != tc.want || bytes.Contains(tc.sealed, []byte(tc.want)) || bytes.Contains(tc.sealed, raw) {
			t.Errorf("%s key is stored as %x (%v)", name, tc.sealed, err)
		}
	}
	hidden, err := r.Box.Unseal(hers, wireguard.PeerKeyPlace(ann.ID))
	if err != nil {
		t.Fatal(err)
	}
	var everything strings.Builder
	for _, path := range []string{"/tunnel/interfaces", "/tunnel/interfaces/" + wg0.ID, "/tunnel/peers", "/tunnel/peers/" + ann.ID} {
		everything.WriteString(r.Do("GET", path, nil).Want(200).Text)
	}
	everything.WriteString(r.Edit("/tunnel/peers/"+ann.ID, object{"preshared_key": shared}).Want(200).Text)
	for _, key := range []string{private, shared, hidden.Reveal()} {
		if strings.Contains(everything.String(), key) {
			t.Errorf("a read answers the key %s", key)
		}
	}
	if got := r.Edit("/tunnel/peers/"+ann.ID, object{"preshared_key": ""}).Want(200); got.Field("has_preshared_key") != "false" {
		t.Errorf("without a preshared key she became %s", got.Data)
	}
}

func TestAChangeOfATunnelIsTakenBack(t *testing.T) {
	r := newRig(t)
	wg0 := r.server("wg0", "10.8.0.1/24")
	public, _ := keys(t)
	up := r.client("wg1", "10.9.0.2/32")
	ann := r.peer(wg0, "ann")
	site := r.peer(up, "branch", object{"public_key": public, "keepalive": 0, "endpoint": "198.51.100.7:51820"})
	undo := func(action, subject string) error {
		r.T.Helper()
		var id string
		if err := r.Pool.QueryRow(t.Context(), `select id from changes where action = $1 and subject = $2 order by created_at desc limit 1`, action, subject).Scan(&id); err != nil {
			t.Fatal(err)
		}
		_, err := r.Run.Revert(identity.With(t.Context(), identity.Identity{Email: "ann@example.com", Role: identity.Admin}), id)
		return err
	}
	r.Edit("/tunnel/peers/"+ann.ID, object{"name": "anna", "allowed_ips": []string{"10.8.0.9"}}).Want(200)
	if err := undo("tunnel.peer.update", "ann"); err != nil {
		t.Fatal(err)
	}
	if got := apitest.Data[tunnel.Peer](r.Do("GET", "/tunnel/peers/"+ann.ID, nil)); got.Name != "ann" || got.AllowedIPs[0] != "10.8.0.2/32" || !got.HasPrivateKey {
		t.Errorf("ann came back as %+v", got)
	}
	r.Edit("/tunnel/interfaces/"+wg0.ID, object{"address_cidr": "10.8.1.1/24"}).Want(200)
	if err := undo("tunnel.interface.update", "wg0"); err != nil {
		t.Fatal(err)
	}
	r.Do("DELETE", "/tunnel/peers/"+site.ID, nil).Want(200)
	if err := undo("tunnel.peer.delete", "branch"); err != nil { // it had no secret
		t.Fatal(err)
	}
	if got := r.Do("GET", "/tunnel/peers/"+site.ID, nil).Want(200).Field("keepalive"); got != "0" {
		t.Errorf("the branch came back with keepalive %s", got)
	}
	r.Do("DELETE", "/tunnel/peers/"+ann.ID, nil).Want(200)
	if err := undo("tunnel.peer.delete", "ann"); err == nil || !strings.Contains(err.Error(), "secrets") {
		t.Errorf("a private key came back from nowhere: %v", err)
	}
}

func TestTheNextFreeAddress(t *testing.T) {
	r := newRig(t)
	for i, tc := range []struct {
		address string
		taken   []string
		want    string
	}{
		{"10.8.0.1/24", nil, "10.8.0.2/32"},
		{"10.8.0.2/24", nil, "10.8.0.1/32"},
		{"10.8.0.1/24", []string{"10.8.0.2/31", "10.8.0.5/32"}, "10.8.0.4/32"},
		{"10.8.0.1/24", []string{"10.8.0.0/25"}, "10.8.0.128/32"},
		{"10.8.0.1/24", []string{"0.0.0.0/0"}, "10.8.0.2/32"},
		{"10.8.0.0/31", nil, "10.8.0.1/32"},
		{"10.8.0.1/30", []string{"10.8.0.2/32"}, ""},
		{"10.8.0.1/32", nil, ""},
		{"fd00::1/64", []string{"fd00::2/128"}, "fd00::3/128"},
	} {
		wg := r.server(fmt.Sprintf("wg%d", i), tc.address, object{"active": false}) // active, two would be in one network
		if len(tc.taken) > 0 {
			r.peer(wg, "other", object{"allowed_ips": tc.taken})
		}
		a := r.Do("POST", "/tunnel/peers", object{"interface_id": wg.ID, "name": "new"})
		var made tunnel.Peer
		if a.Status == 201 {
			a.Into(&made)
		}
		if got := strings.Join(made.AllowedIPs, " "); got != tc.want {
			t.Errorf("%s beside %v: %q (%d), want %q", tc.address, tc.taken, got, a.Status, tc.want)
		}
	}
}
