package apply

import (
	"testing"

	"gateway/internal/daemon"
	"gateway/internal/fault"
)

// The services of these tests, of every kind there is.
const (
	ReverseProxy = "reverse-proxy"
	ForwardProxy = "forward-proxy"
	DNS          = "dns"
	NTP          = "ntp"
	Scheduler    = "scheduler"
	WAF          = "waf"
)

func declared() []daemon.Service {
	return []daemon.Service{
		{Name: "api", Unit: "gateway-api.service"},
		{Name: ReverseProxy, Unit: "haproxy.service", Phrase: "the reverse proxy", Restart: true, Gentle: true},
		{Name: ForwardProxy, Unit: "squid.service", Phrase: "the forward proxy", Restart: true},
		{Name: DNS, Unit: "unbound.service", Phrase: "the DNS resolver", Restart: true},
		{Name: NTP, Unit: "chrony.service", Phrase: "the NTP daemon", Restart: true},
		{Name: Scheduler, Unit: "gateway-scheduler.service", Phrase: "the scheduler", Restart: true},
		{Name: WAF, Unit: "gateway-waf.service", Phrase: "the web application firewall", Toggle: true},
	}
}

// What was not declared so must be refused: every pair of action and name.
func TestPermit(t *testing.T) {
	allowed := map[Action]map[string]bool{
		Restart: {ReverseProxy: true, ForwardProxy: true, DNS: true, NTP: true, Scheduler: true},
		On:      {WAF: true},
		Off:     {WAF: true},
	}
	services := []string{
		ReverseProxy, ForwardProxy, DNS, NTP, Scheduler, WAF,
		"", "api", "ssh", "haproxy.service", "gateway-apply", "dns ", "DNS",
	}
	for _, a := range []Action{Restart, On, Off, "", "start", "stop", "reload", "mask", "RESTART"} {
		for _, s := range services {
			_, err := permit(declared(), a, s)
			if got := err == nil; got != allowed[a][s] {
				t.Errorf("permit(%q, %q) = %v, want allowed: %t", a, s, err, allowed[a][s])
			}
			if err != nil && !fault.Is(err, fault.Invalid) {
				t.Errorf("permit(%q, %q) = %v, want an invalid fault", a, s, err)
			}
		}
	}
}
