package daemon

// Service is a systemd unit that operators know by a name. It is declared once, beside the
// daemon: the list of services, what may be restarted or toggled, the package list and the
// sources of logs are read from here.
type Service struct {
	Name    string // the operator's word for it, and its name in the API: "dns"
	Unit    string // "unbound.service"; empty for what is in the kernel
	Title   string // in lists: "DNS resolver (Unbound)"
	Phrase  string // within a sentence: "the DNS resolver"
	Package string // Debian's package; empty for what comes with our own
	// Required is one that has to run, unless its component has a setting for it.
	Required bool
	// Setting is the table of settings whose column "enabled" says whether it is to run; empty
	// where there is none. It is disabled while it is not to run.
	Setting string
	// Restart and Toggle are what an operator may do to it beside its configuration. To toggle
	// what has a setting writes the setting: everything else would be undone by the next apply.
	Restart, Toggle bool
	// Gentle is one whose reload replaces its processes and cuts nobody off: it is tried
	// before a restart.
	Gentle bool
}

// Services are those of the configurations, in their order.
func Services(all []Config) []Service {
	var out []Service
	for _, c := range all {
		out = append(out, c.Services...)
	}
	return out
}
