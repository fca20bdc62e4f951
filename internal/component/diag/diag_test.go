package diag

import (
	"context"
	"net/http"
	"net/netip"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/diag/probe"
	"gateway/internal/db"
)

type object = apitest.Object

// scheduler takes questions.
type scheduler struct {
	asked   []probe.Question
	paths   []probe.PathQuestion
	hold    chan struct{} // until it is closed, nil for not at all
	holding chan struct{}
	silent  bool
}

func (s *scheduler) Ask(_ context.Context, _ string, in, out any) error {
	if s.silent {
		return db.ErrUnanswered
	}
	if q, is := in.(probe.PathQuestion); is {
		return s.askPath(q, out.(*probe.Path))
	}
	s.asked = append(s.asked, in.(probe.Question))
	if s.hold != nil {
		close(s.holding)
		<-s.hold
	}
	*out.(*probe.Result) = probe.Result{Output: "said", ExitStatus: 1, Duration: 7}
	return nil
}

// askPath takes the questions whose answer has steps.
func (s *scheduler) askPath(q probe.PathQuestion, out *probe.Path) error {
	s.paths = append(s.paths, q)
	*out = probe.Path{OK: true, Steps: probe.Steps{DNS: probe.DNSStep{Step: probe.Step{State: probe.StepOK}}}}
	return nil
}

func rig(t *testing.T) (*componenttest.Rig, *scheduler) {
	s := &scheduler{}
	return componenttest.New(t, componenttest.Setup{Component: func(r *componenttest.Rig) component.Component {
		return New(Options{Run: r.Run, Questions: s})
	}}), s
}

// bodyOf is what a tool takes, so that nothing but its target can be wrong.
func bodyOf(tool, target string) object {
	switch tool {
	case "tcp", "path":
		return object{"target": target, "port": 1}
	case "dig":
		return object{"target": target, "type": "A"}
	}
	return object{"target": target}
}

// shows DIAG-03, DIAG-07
func TestEachToolIsAskedForWhatItTakes(t *testing.T) {
	r, s := rig(t)
	for _, tc := range []struct {
		tool string
		body object
		want probe.Question
	}{
		{"ping", object{"target": "WWW.example.com"}, probe.Question{Tool: "ping", Target: "www.example.com"}},
		{"traceroute", object{"target": "2001:db8::1"}, probe.Question{Tool: "traceroute", Target: "2001:db8::1"}},
		{"dig", object{"target": "_sip._tcp.example.com", "type": "SRV"}, probe.Question{Tool: "dig", Target: "_sip._tcp.example.com", Type: "SRV"}},
		{"curl", object{"target": "https://example.com:8443/a/b"}, probe.Question{Tool: "curl", Target: "https://example.com:8443/a/b"}},
		{"tcp", object{"target": "192.0.2.1", "port": 443}, probe.Question{Tool: "tcp", Target: "192.0.2.1", Port: 443}},
		{"mtu", object{"target": "192.0.2.1"}, probe.Question{Tool: "mtu", Target: "192.0.2.1"}},
	} {
		s.asked = nil
		got := apitest.Data[probe.Result](r.Do("POST", "/diagnostics/"+tc.tool, tc.body).Want(http.StatusOK))
		if want := (probe.Result{Output: "said", ExitStatus: 1, Duration: 7}); got != want {
			t.Errorf("%s: %+v, want %+v", tc.tool, got, want)
		}
		if len(s.asked) != 1 || s.asked[0] != tc.want {
			t.Errorf("%s: asked %+v, want %+v", tc.tool, s.asked, tc.want)
		}
		r.As("viewer", "POST", "/diagnostics/"+tc.tool, tc.body).Want(http.StatusForbidden)
		var entries int
		if err := r.Pool.QueryRow(t.Context(), `select count(id) from audit_entries where action = $1`, "diag."+tc.tool).Scan(&entries); err != nil || entries != 1 {
			t.Errorf("%s: %d entries in the audit log, want one: %v", tc.tool, entries, err)
		}
	}
}

func TestAPathIsAskedForWhatItTakes(t *testing.T) {
	r, s := rig(t)
	for _, tc := range []struct {
		body object
		want probe.PathQuestion
	}{
		{object{"target": "WWW.example.com", "port": 443, "tls": true}, probe.PathQuestion{Target: "www.example.com", Port: 443, TLS: true}},
		{object{"target": "192.0.2.1", "port": 80, "source": "198.51.100.1"}, probe.PathQuestion{Target: "192.0.2.1", Port: 80, Source: netip.MustParseAddr("198.51.100.1")}},
		{object{"target": "www.example.com", "port": 80, "source": "2001:db8::1"}, probe.PathQuestion{Target: "www.example.com", Port: 80, Source: netip.MustParseAddr("2001:db8::1")}},
	} {
		s.paths = nil
		if got := apitest.Data[probe.Path](r.Do("POST", "/diagnostics/path", tc.body).Want(http.StatusOK)); !got.OK || got.Steps.DNS.State != probe.StepOK {
			t.Errorf("%v: %+v", tc.body, got)
		}
		if len(s.paths) != 1 || s.paths[0] != tc.want {
			t.Errorf("%v: asked %+v, want %+v", tc.body, s.paths, tc.want)
		}
	}
	var subject string
	if err := r.Pool.QueryRow(t.Context(), `select subject from audit_entries where action = 'diag.path' order by seq limit 1`).Scan(&subject); err != nil || subject != "www.example.com port 443" {
		t.Errorf("the audit log says %q: %v", subject, err)
	}
	r.As("viewer", "POST", "/diagnostics/path", object{"target": "192.0.2.1", "port": 80}).Want(http.StatusForbidden)
	s.paths = nil
	for field, body := range map[string]object{
		"target": {"target": "a b", "port": 1},
		"port":   {"target": "192.0.2.1", "port": 0},
		"source": {"target": "192.0.2.1", "port": 1, "source": "2001:db8::1"},
	} {
		if got := r.Do("POST", "/diagnostics/path", body).Want(http.StatusBadRequest); got.Complaint(field) == "" {
			t.Errorf("%v: %+v", body, got.Error)
		}
	}
	if len(s.paths) != 0 {
		t.Errorf("asked %+v, want nothing", s.paths)
	}
}

// shows DIAG-05, DIAG-08
func TestWhatIsNoTargetIsRefused(t *testing.T) {
	r, s := rig(t)
	for _, target := range []string{
		"", "-f/etc/hostname", "a b", "a;b", "$(id)", "`id`", "a|b", "a\nb", "a\x00b", "http://user@example.com", "[::1]", "ä.example.com", "a?b", "../../etc", "a//b",
	} {
		for _, tool := range []string{"ping", "traceroute", "tcp", "curl", "mtu", "path"} {
			if got := r.Do("POST", "/diagnostics/"+tool, bodyOf(tool, target)).Want(http.StatusBadRequest); got.Complaint("target") == "" && target != "a\x00b" { // that is refused before it is a field
				t.Errorf("%s %q: %+v", tool, target, got.Error)
			}
		}
	}
	for _, url := range []string{"file:///etc/hostname", "ftp://example.com/", "https:example.com", "http://", "http:///a", "http://example.com:99999/", "//example.com", "example.com"} {
		r.Do("POST", "/diagnostics/curl", object{"target": url}).Want(http.StatusBadRequest)
	}
	for _, kind := range []string{"ANY", "AXFR", "a", ""} {
		r.Do("POST", "/diagnostics/dig", object{"target": "example.com", "type": kind}).Want(http.StatusBadRequest)
	}
	for _, port := range []int{0, -1, 65536} {
		r.Do("POST", "/diagnostics/tcp", object{"target": "example.com", "port": port}).Want(http.StatusBadRequest)
	}
	if len(s.asked) != 0 {
		t.Errorf("asked %+v, want nothing", s.asked)
	}
}

func TestOneDiagnosisAtATime(t *testing.T) {
	r, s := rig(t)
	s.hold, s.holding = make(chan struct{}), make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Do("POST", "/diagnostics/ping", object{"target": "192.0.2.1"}).Want(http.StatusOK)
	}()
	<-s.holding
	r.Do("POST", "/diagnostics/dig", object{"target": "example.com", "type": "A"}).Want(http.StatusTooManyRequests)
	close(s.hold)
	<-done
	s.hold = nil
	r.Do("POST", "/diagnostics/dig", object{"target": "example.com", "type": "A"}).Want(http.StatusOK)
}

func TestThatNobodyTriedIsTold(t *testing.T) {
	r, s := rig(t)
	s.silent = true
	r.Do("POST", "/diagnostics/ping", object{"target": "192.0.2.1"}).Want(http.StatusServiceUnavailable)
}
