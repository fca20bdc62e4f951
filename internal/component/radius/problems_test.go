package radius_test

import (
	"slices"
	"testing"

	"gateway/internal/component/radius"
	"gateway/internal/db"
)

// An answer that nobody can ask for is not all that a server is for.
func TestAServerInZonesWithoutAnInterfaceIsDegraded(t *testing.T) {
	r, s := withServer(t)
	find := radius.New(radius.Options{DB: r.Pool, Run: r.Run, Box: r.Box, Applier: r, Dial: dialProbe(s)}).Problems.Find
	want := func(what, state string, codes ...string) {
		t.Helper()
		found, err := find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range found.Problems {
			got = append(got, p.Code)
		}
		if now := found.States["radius"]["radius"].State; !slices.Equal(got, codes) || now != state {
			t.Errorf("%s: %q with %v, want %q with %v", what, now, got, state, codes)
		}
	}
	r.Do("POST", "/radius/clients", object{"name": "ap-1", "address": "192.0.2.7", "secret": "correct-horse"}).Want(201)
	r.Edit("/radius/settings", object{"enabled": true, "zones": []string{"lan", "dmz"}}).Want(200)
	s.UseRendering(r.Rendered())
	want("with nothing in its zones", "degraded", "radius.no_interface")
	r.Edit("/radius/settings", object{"listen_addresses": []string{"127.0.0.1"}}).Want(200)
	want("for this machine alone", "")
	r.Edit("/radius/settings", object{"listen_addresses": []string{}, "zones": []string{}}).Want(200)
	want("in no zone", "")
	r.Edit("/radius/settings", object{"zones": []string{"lan", "dmz"}}).Want(200)
	r.Restore(`insert into network_interfaces (id, revision, created_at, updated_at, name, type, role, parent, members, description)
		values ($1, 1, now(), now(), 'eth1', 'ethernet', 'dmz', '', '{}', '')`, db.NewID())
	want("with an interface in one of them", "")
	r.Edit("/radius/settings", object{"listen_addresses": []string{"127.0.0.1", "192.0.2.1"}}).Want(200)
	want("with an address that this node does not have", "degraded", "radius.not_listening")
}
