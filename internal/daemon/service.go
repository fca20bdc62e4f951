package daemon

import "cmp"

// Service is a systemd unit that operators know by a name. It is declared once, beside the
// daemon: the list of services, what may be restarted or toggled, and the package list are
// read from here.
type Service struct {
	Name string // the operator's word for it, and its name in the API: "dns"
	// Component is the one it runs for, set by Services; empty for what no component manages.
	Component string
	Unit      string // "unbound.service"; empty for what is in the kernel
	Title     string // in lists: "DNS resolver (Unbound)"
	Phrase    string // within a sentence: "the DNS resolver"
	Package   string // Debian's package; empty for what comes with our own
	// Required is one that has to run, unless its component has a setting for it.
	Required bool
	// Setting is the table of settings that says whether it is to run; empty where there is
	// none. It is disabled while it is not to run.
	Setting string
	// Column is the one of Setting that says it; empty for "enabled". Two services of one
	// component that are switched apart have a column each.
	Column string
	// AccessLog is the journal namespace that has a line for each request it answered; empty where
	// it writes none, or among the rest.
	AccessLog string
	// AccessSource is what that is called among the sources of logs; empty for the name of the service and "-access".
	AccessSource string
	// Restart and Toggle are what an operator may do to it beside its configuration. To toggle
	// what has a setting writes the setting: everything else would be undone by the next apply.
	Restart, Toggle bool
	// Gentle is one whose reload replaces its processes and cuts nobody off: it is tried
	// before a restart.
	Gentle bool
}

// SettingColumn is the column of Setting.
func (s Service) SettingColumn() string { return cmp.Or(s.Column, "enabled") }

// AccessName is what its access log is called.
func (s Service) AccessName() string { return cmp.Or(s.AccessSource, s.Name+"-access") }

// Services are those of the configurations, in their order, each with the component it is of.
func Services(all []Config) []Service {
	var out []Service
	for _, c := range all {
		for _, s := range c.Services {
			s.Component = c.Name
			out = append(out, s)
		}
	}
	return out
}
