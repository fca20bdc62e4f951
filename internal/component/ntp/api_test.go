package ntp

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway/internal/api/apitest"
	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/ntp/chrony"
	"gateway/internal/daemon"
	"gateway/internal/fault"
)

// newRig takes what the options are to have beside a database.
func newRig(t *testing.T, o Options) *componenttest.Rig {
	t.Helper()
	return componenttest.New(t, componenttest.Setup{
		Component: func(r *componenttest.Rig) component.Component {
			if o.DB, o.Run, o.Now = r.Pool, r.Run, time.Now; o.Applier == nil {
				o.Applier = r
			}
			return New(o)
		},
		Daemon: func(r *componenttest.Rig) daemon.Daemon { return chrony.New(chrony.Options{Units: r.Units}) },
	})
}

// shows NTP-01, NTP-02, NTP-03
func TestSettings(t *testing.T) {
	r := newRig(t, Options{})
	s := apitest.Data[Settings](r.Do("GET", "/ntp/settings", nil).Want(200))
	if s.ServeClients || !s.Makestep || !s.Rtcsync || s.ListenAddresses == nil || len(s.ListenAddresses) != 0 || len(s.AllowACL) != 4 || s.Revision != 1 {
		t.Errorf("at first, settings = %+v", s)
	}
	if text := r.Text(chrony.ConfFile); !strings.Contains(text, "\nport 0\n") || strings.Contains(text, "allow") {
		t.Errorf("at first the daemon is not client-only:\n%s", text)
	}
	want := SettingsInput{ListenAddresses: []string{"192.0.2.1", "2001:DB8::1"}, AllowACL: []string{"192.0.2.0/24"}, ServeClients: true}
	s = apitest.Data[Settings](r.Do("PUT", "/ntp/settings", want).Want(200))
	if again := apitest.Data[Settings](r.Do("GET", "/ntp/settings", nil).Want(200)); again.Revision != 2 || again.ListenAddresses[1] != "2001:db8::1" || !again.ServeClients || again.Makestep || again.Rtcsync {
		t.Errorf("settings = %+v, then %+v", s, again)
	}
	if text := r.Text(chrony.ConfFile); text != "# Made by gateway from its database. Edits are undone; change it through the API instead.\n"+
		"pool 0.debian.pool.ntp.org iburst maxsources 1\npool 1.debian.pool.ntp.org iburst maxsources 1\n"+
		"pool 2.debian.pool.ntp.org iburst maxsources 1\npool 3.debian.pool.ntp.org iburst maxsources 1\n"+
		"bindaddress 192.0.2.1\nbindaddress 2001:db8::1\nallow 192.0.2.0/24\n" {
		t.Errorf("rendered:\n%s", text)
	}
	want.ListenAddresses, want.AllowACL = []string{"192.0.2.1", "192.0.2.2", "x"}, []string{"192.0.2.0/24", "all"}
	if a := r.Do("PUT", "/ntp/settings", want).Want(400); a.Complaints() != "listen_addresses[2] allow_acl[1] listen_addresses[1]" {
		t.Errorf("fields = %q", a.Complaints())
	}
	if a := r.As("viewer", "PUT", "/ntp/settings", want); a.Status != http.StatusForbidden {
		t.Errorf("a viewer's change = %d", a.Status)
	}
	if got := r.Actions(); len(got) != 1 || got[0] != "ntp.settings.update settings" {
		t.Errorf("audited: %q", got)
	}
}

// shows NTP-08
func TestFourPoolsAreSeeded(t *testing.T) {
	r := newRig(t, Options{})
	pools := apitest.Data[[]Pool](r.Do("GET", "/ntp/pools", nil).Want(200))
	if len(pools) != 4 {
		t.Fatalf("%d pools, want 4", len(pools))
	}
	for _, p := range pools {
		if p.Kind != "pool" || !strings.HasSuffix(p.Address, ".debian.pool.ntp.org") || !p.Iburst || p.Prefer || p.Minpoll != nil || p.Maxpoll != nil {
			t.Errorf("pool = %+v", p)
		}
		var wrong fault.Problems
		if p.Validate(&wrong); wrong.Err() != nil {
			t.Errorf("%s: %v", p.Address, wrong.Err())
		}
	}
}

// shows NTP-06, NTP-07
func TestPools(t *testing.T) {
	r := newRig(t, Options{})
	type in = componenttest.Object
	made := apitest.Data[Pool](r.Do("POST", "/ntp/pools", in{"kind": "server", "address": "NTP1.example.com", "prefer": true, "minpoll": 0, "maxpoll": 24}).Want(201))
	if made.Address != "ntp1.example.com" || !made.Iburst || !made.Prefer || *made.Minpoll != 0 || *made.Maxpoll != 24 {
		t.Errorf("made %+v", made)
	}
	path := "/ntp/pools/" + made.ID
	if text := r.Text(chrony.ConfFile); !strings.Contains(text, "\nserver ntp1.example.com iburst prefer minpoll 0 maxpoll 24\n") {
		t.Errorf("rendered:\n%s", text)
	}
	// What was read can be written back as it is.
	body := in{"kind": "server", "address": made.Address, "iburst": true, "prefer": false, "minpoll": nil, "maxpoll": nil}
	changed := apitest.Data[Pool](r.Do("PUT", path, body).Want(200))
	if changed.Revision != 2 || changed.Minpoll != nil || changed.Maxpoll != nil || changed.Prefer {
		t.Errorf("changed %+v", changed)
	}
	if a := r.Do("POST", "/ntp/pools", in{"kind": "pool", "address": "Ntp1.Example.Com"}).Want(409); a.Complaints() != "address" {
		t.Errorf("a second one of the name: %+v", a.Error)
	}
	if got := apitest.Data[[]Pool](r.Do("GET", "/ntp/pools?filter=kind:server&q=NTP1", nil).Want(200)); len(got) != 1 || got[0].ID != made.ID {
		t.Errorf("found %+v", got)
	}
	for field, bad := range map[string]in{
		"address": {"kind": "server", "address": "a.example.com key 1"},
		"kind":    {"kind": "peer", "address": "a.example.com"},
		"minpoll": {"kind": "server", "address": "a.example.com", "minpoll": -7},
		"maxpoll": {"kind": "server", "address": "a.example.com", "maxpoll": 3},
	} {
		if a := r.Do("POST", "/ntp/pools", bad).Want(400); a.Complaints() != field {
			t.Errorf("%v: fields %q, want %q", bad, a.Complaints(), field)
		}
	}
	r.Do("DELETE", path, nil).Want(200)
	r.Do("GET", path, nil).Want(404)
	want := []string{"ntp.pool.create NTP1.example.com", "ntp.pool.update ntp1.example.com", "ntp.pool.delete ntp1.example.com"}
	if got := r.Actions(); strings.Join(got, "; ") != strings.Join(want, "; ") { // shows AUDIT-19
		t.Errorf("audited: %q", got)
	}
}

// Hostile strings are refused by the edge, one by one, and none of them is echoed.
func TestHostileValuesAreRefused(t *testing.T) {
	r := newRig(t, Options{})
	for _, bad := range []string{"a\nmailonchange root 0", "a b", "-x", "a\x00b", "a\u2028b", "a;b", "#a", "", "include /etc/passwd", strings.Repeat("a", 300), "a\u202eb"} {
		if a := r.Do("POST", "/ntp/pools", map[string]any{"kind": "server", "address": bad}).Want(400); bad != "" && strings.Contains(a.Error.Message+a.Error.Fields[0].Message, bad) {
			t.Errorf("%q is echoed: %+v", bad, a.Error)
		}
		set := SettingsInput{ListenAddresses: []string{bad}, AllowACL: []string{bad}}
		r.Do("PUT", "/ntp/settings", set).Want(400)
	}
	if got := r.Actions(); len(got) != 0 {
		t.Errorf("audited: %q", got)
	}
}

// FW-24 rests on this: the packet filter opens what is declared here.
func TestOpenings(t *testing.T) {
	r := newRig(t, Options{})
	for _, tc := range []struct {
		name   string
		serve  bool
		listen []string
		want   int
	}{
		{"client-only", false, nil, 0},
		{"client-only, with an address", false, []string{"192.0.2.1"}, 0},
		{"on every address", true, nil, 1},
		{"on one", true, []string{"192.0.2.1"}, 1},
		{"on the loopback", true, []string{"127.0.0.1", "::1"}, 0},
		{"on the loopback and beyond", true, []string{"127.0.0.1", "2001:db8::1"}, 1},
	} {
		r.Do("PUT", "/ntp/settings", SettingsInput{ListenAddresses: tc.listen, ServeClients: tc.serve}).Want(200)
		got, err := r.Daemon.Needs.Openings(t.Context(), r.Pool)
		if err != nil || len(got) != tc.want {
			t.Errorf("%s: %+v, %v; want %d", tc.name, got, err, tc.want)
		}
		if len(got) == 1 && (got[0].Protocol != "udp" || got[0].Port != 123 || got[0].Role != "") {
			t.Errorf("%s: %+v", tc.name, got)
		}
	}
}

func TestObjects(t *testing.T) {
	for _, o := range New(Options{}).Objects {
		if o.Single == (len(o.Name) > 0) || o.Path == "" || o.Key == "" {
			t.Errorf("object = %+v", o)
		}
	}
}
