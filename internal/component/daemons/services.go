package daemons

import (
	"slices"

	"gateway/internal/daemon"
)

// Services are all that operators see: our own programs, the managed daemons, and those that
// the specification names and no component manages yet.
func Services(managed []daemon.Config) []daemon.Service {
	own := []daemon.Service{
		{Name: "api", Unit: "gateway-api.service", Title: "Management interface", Required: true},
		{Name: "scheduler", Unit: "gateway-scheduler.service", Title: "Scheduler", Phrase: "the scheduler", Required: true, Restart: true},
		{Name: "apply", Unit: "gateway-apply.service", Title: "Configuration applier", Required: true},
		{Name: "database", Unit: "postgresql@17-main.service", Title: "Database (PostgreSQL)", Package: "postgresql-17", Required: true},
	}
	unmanaged := []daemon.Service{
		{Name: "waf", Unit: "gateway-waf.service", Title: "Web application firewall", Phrase: "the web application firewall", Toggle: true},
		{Name: "ids", Unit: "crowdsec.service", Title: "Intrusion detection (CrowdSec)", Phrase: "the intrusion detection", Package: "crowdsec", Toggle: true},
		{
			Name: "ids-bouncer", Unit: "crowdsec-firewall-bouncer.service", Title: "Intrusion detection bouncer",
			Phrase: "the intrusion detection's firewall bouncer", Package: "crowdsec-firewall-bouncer", Toggle: true,
		},
		{Name: "virtual-ip", Unit: "keepalived.service", Title: "Virtual IP (keepalived)", Package: "keepalived"},
	}
	all := append(own, daemon.Services(managed)...)
	for _, s := range unmanaged {
		if !slices.ContainsFunc(all, func(other daemon.Service) bool { return other.Name == s.Name }) {
			all = append(all, s)
		}
	}
	return all
}
