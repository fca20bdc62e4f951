package radius_test

import (
	"context"
	"net"
	"slices"
	"strings"
	"testing"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/radius"
	"gateway/internal/component/radius/freeradius"
	"gateway/internal/component/radius/radiustest"
	"gateway/internal/daemon"
	"gateway/lab"
)

// withServer is the component with a real FreeRADIUS at its other end.
func withServer(t *testing.T) (*componenttest.Rig, *radiustest.Server) {
	t.Helper()
	s := radiustest.New(t, lab.New(t))
	u := setup(t)
	u.Component = func(r *componenttest.Rig) component.Component {
		return radius.New(radius.Options{DB: r.Pool, Run: r.Run, Box: r.Box, Applier: r, Dial: dialProbe(s)})
	}
	u.Daemon = func(*componenttest.Rig) daemon.Daemon {
		return freeradius.New(freeradius.Options{Units: s, Log: s.Log()})
	}
	return componenttest.New(t, u), s
}

func dialProbe(s *radiustest.Server) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) { return s.DialContext(ctx, "udp", "127.0.0.1:18120") }
}

func TestATestTellsWhichStepRefused(t *testing.T) {
	r, s := withServer(t)
	ask := func(change object) object {
		body := object{"user": "ann", "password": "wonder land"}
		for k, v := range change {
			body[k] = v
		}
		return body
	}
	r.Do("POST", "/radius/test-sign-in", ask(nil)).Want(409) // it is off
	r.Do("POST", "/radius/clients", object{"name": "hall", "address": "192.0.2.0/24", "secret": "correct-horse"}).Want(201)
	r.Do("POST", "/radius/clients", object{"name": "door", "address": "192.0.2.7", "secret": "correct-horse"}).Want(201)
	r.Do("POST", "/radius/users", object{"name": "ann", "password": "wonder land", "vlan": 12}).Want(201)
	r.Do("POST", "/radius/users", object{"name": "carl", "password": "gone", "enabled": false}).Want(201)
	r.Edit("/radius/settings", object{"enabled": true}).Want(200)
	r.Do("POST", "/radius/test-sign-in", ask(nil)).Want(503) // it does not run yet
	s.UseRendering(r.Rendered())
	for _, tc := range []struct {
		name, result, client string
		change               object
	}{
		{"by PAP", "accepted", "", nil},
		{"by CHAP", "accepted", "", object{"method": "chap"}},
		{"from a device of the network", "accepted", "hall", object{"client_address": "192.0.2.9"}},
		{"from the device with its own entry", "accepted", "door", object{"client_address": "192.0.2.7"}},
		{"from elsewhere", "unknown_client", "", object{"client_address": "198.51.100.1"}},
		{"with a wrong password", "password", "", object{"password": "wonder"}},
		{"with a wrong password by CHAP", "password", "", object{"password": "wonder", "method": "chap"}},
		{"of nobody", "unknown_user", "", object{"user": "nobody"}},
		{"of who is switched off", "disabled", "", object{"user": "carl", "password": "gone"}},
		{"of a name that nobody can have", "name", "", object{"user": "a b"}},
		{"of the canary", "name", "", object{"user": "gateway/canar"}},
	} {
		got := r.Do("POST", "/radius/test-sign-in", ask(tc.change)).Want(200)
		vlan := got.Field("vlan") == "12"
		if got.Field("result") != tc.result || got.Field("client") != tc.client || vlan != (tc.result == "accepted") || strings.Contains(got.Text, "wonder") {
			t.Errorf("%s: %s, want %s by %q", tc.name, got.Data, tc.result, tc.client)
		}
	}
	r.Do("POST", "/radius/test-sign-in", ask(object{"client_address": "hall"})).Want(400)
	r.As("viewer", "POST", "/radius/test-sign-in", ask(nil)).Want(403)
	if !slices.Contains(r.Actions(), "radius.sign_in.test ann") {
		t.Errorf("the audit log has %v", r.Actions())
	}
	t.Run("none of which is in the list", func(t *testing.T) {
		if got := r.As("viewer", "GET", "/radius/sign-ins", nil).Want(200); !strings.Contains(got.Text, `"recent":[]`) {
			t.Errorf("the list is %s", got.Text)
		}
	})
}

func TestTheLastSignIns(t *testing.T) {
	r, s := withServer(t)
	r.Do("POST", "/radius/clients", object{"name": "ap-1", "address": "127.0.0.2", "secret": "correct-horse"}).Want(201)
	r.Do("POST", "/radius/users", object{"name": "ann", "password": "wonder land"}).Want(201)
	r.Edit("/radius/settings", object{"enabled": true}).Want(200)
	s.UseRendering(r.Rendered())
	q := radiustest.Question{Secret: "correct-horse", User: "ann", Password: "wonder land", Change: radiustest.Station("02-00-00-00-00-01")}
	s.Ask(q)
	q.Password = "wrong"
	s.Ask(q)
	q.User = "<script>\"\n"
	s.Ask(q)
	list := func() (recent []string, last string) {
		t.Helper()
		var got freeradius.SignIns
		r.As("viewer", "GET", "/radius/sign-ins", nil).Want(200).Into(&got)
		for _, one := range got.Recent {
			recent = append(recent, strings.Join([]string{one.User, one.Result, one.Client, one.From, one.Station}, " "))
		}
		return recent, got.Users["ann"].Result
	}
	recent, last := list()
	want := []string{"<script>\"\uFFFD name ap-1 127.0.0.2 02-00-00-00-00-01", "ann password ap-1 127.0.0.2 02-00-00-00-00-01", "ann accepted ap-1 127.0.0.2 02-00-00-00-00-01"}
	if strings.Join(recent, "|") != strings.Join(want, "|") || last != "password" {
		t.Errorf("the list is %q, the last of ann %q", recent, last)
	}
	// A log that was put aside is still told, and the daemon writes on in a new one.
	if err := s.Start(t.Context(), "gateway-radius-rotate.service"); err != nil {
		t.Fatal(err)
	}
	q.User, q.Password = "ann", "wonder land"
	s.Ask(q)
	if recent, last = list(); len(recent) != 4 || last != "accepted" {
		t.Errorf("after a rotation the list is %q, the last of ann %q", recent, last)
	}
	again := freeradius.New(freeradius.Options{Units: s, Log: s.Log()})
	told, err := again.Verbs[freeradius.SignInsVerb](t.Context(), nil)
	if err != nil || len(told.(freeradius.SignIns).Recent) != 4 {
		t.Errorf("a new process tells %+v, %v", told, err)
	}
	for _, text := range s.Logged() {
		if strings.Contains(text, "wonder") || strings.Contains(text, "776f6e646572") || strings.Contains(text, "correct-horse") {
			t.Errorf("the log tells a secret: %s", text)
		}
	}
}
