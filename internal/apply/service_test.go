package apply

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/fault"
)

func TestServices(t *testing.T) {
	toggled := []Service{IDS, IDSBouncer, WAF}
	for action, want := range map[Action][]Service{
		Restart: {DNS, ForwardProxy, NTP, ReverseProxy, Scheduler},
		On:      toggled,
		Off:     toggled,
		"mask":  nil,
	} {
		if d := cmp.Diff(want, Services(action)); d != "" {
			t.Errorf("Services(%s) (-want +got):\n%s", action, d)
		}
	}
}

func TestUnit(t *testing.T) {
	for s, want := range map[Service]string{
		ReverseProxy: "haproxy.service", ForwardProxy: "squid.service", DNS: "unbound.service", NTP: "chrony.service",
		Scheduler: "gateway-scheduler.service", IDS: "crowdsec.service",
		IDSBouncer: "crowdsec-firewall-bouncer.service", WAF: "gateway-waf.service", "ssh": "",
	} {
		if got := s.Unit(); got != want {
			t.Errorf("%s.Unit() = %q, want %q", s, got, want)
		}
	}
}

// The allow list, every pair of it: what is not named here must be refused.
func TestPermit(t *testing.T) {
	allowed := map[Action]map[Service]bool{
		Restart: {ReverseProxy: true, ForwardProxy: true, DNS: true, NTP: true, Scheduler: true},
		On:      {IDS: true, IDSBouncer: true, WAF: true},
		Off:     {IDS: true, IDSBouncer: true, WAF: true},
	}
	services := []Service{
		ReverseProxy, ForwardProxy, DNS, NTP, Scheduler, IDS, IDSBouncer, WAF,
		"", "ssh", "haproxy.service", "gateway-apply", "dns ", "DNS",
	}
	for _, a := range []Action{Restart, On, Off, "", "start", "stop", "reload", "mask", "RESTART"} {
		for _, s := range services {
			_, err := permit(a, s)
			if got := err == nil; got != allowed[a][s] {
				t.Errorf("permit(%q, %q) = %v, want allowed: %t", a, s, err, allowed[a][s])
			}
			if err != nil && !fault.Is(err, fault.Invalid) {
				t.Errorf("permit(%q, %q) = %v, want an invalid fault", a, s, err)
			}
		}
	}
}
