package freeradius

import (
	"fmt"
	"slices"
	"strings"

	"gateway/internal/daemon"
)

// meantRest is what all files but those of users and clients have to say, of good rows.
func (s State) meantRest() (out []string) {
	out = []string{fmt.Sprint("up ", s.Settings.On()), "listen type = control, socket = ${run_dir}/gateway.sock, mode = rw"}
	listen := s.Settings.ListenAddresses
	if len(listen) == 0 {
		listen = []string{"0.0.0.0", "::"}
	}
	for _, address := range listen {
		family, every := "ipaddr", "0.0.0.0"
		if strings.Contains(address, ":") {
			family, every = "ipv6addr", "::"
		}
		if address != every && slices.Contains(listen, every) {
			continue // it is one of them
		}
		out = append(out, fmt.Sprintf("listen type = auth, %s = %s, port = %d", family, address, s.Settings.AuthPort),
			fmt.Sprintf("listen type = acct, %s = %s, port = %d", family, address, s.Settings.AccountingPort))
	}
	for _, c := range s.Clients {
		out = append(out, "include clients/"+c.Name+".conf")
	}
	if probe := s.Probe.Reveal(); probe != "" {
		out = append(out, "listen type = auth, ipaddr = 127.0.0.1, port = 18120, clients = probe", "secret "+probe, "asks as the canary",
			fmt.Sprintf("probe %q", []section{{Name: "clients probe", Sections: []section{{Name: "client loopback", Pairs: []pair{
				{"ipaddr", "=", "127.0.0.1"}, {"secret", "=", probe}, {"require_message_authenticator", "=", "yes"}, {"limit_proxy_state", "=", "yes"},
			}}}}}))
	}
	slices.Sort(out)
	return out
}

// readRest reads them into the lines of meantRest.
func readRest(r daemon.Rendering) (out []string) {
	out = []string{fmt.Sprint("up ", r.Units[0].Up)}
	for _, f := range r.Files {
		text := strings.TrimPrefix(string(f.Data), madeBy)
		switch {
		case f.Path == UsersFile || isClient(f.Path):
		case f.Path == ConfFile:
			out = append(out, readListen(text, r.Has(ProbeFile))...)
		case f.Path == ClientsFile:
			for line := range strings.Lines(text) {
				out = append(out, strings.Replace(strings.TrimSuffix(line, "\n"), "$-INCLUDE ", "include ", 1))
			}
		case f.Path == SecretFile:
			out = append(out, "secret "+strings.TrimSuffix(text, "\n"))
		case f.Path == CanaryFile:
			out = append(out, readCanary(r, text))
		case f.Path == ProbeFile:
			top, err := readConf(text)
			if err != nil || len(top.Pairs) > 0 {
				out = append(out, fmt.Sprintf("%s: %v, %q", f.Path, err, top.Pairs))
			}
			out = append(out, fmt.Sprintf("probe %q", top.Sections))
		default:
			out = append(out, "a file that nobody knows: "+f.Path)
		}
	}
	slices.Sort(out)
	return out
}

// readCanary holds the request of the canary against its entry.
func readCanary(r daemon.Rendering, text string) string {
	users, err := readUsers(string(r.File(UsersFile)))
	if err != nil || len(users) == 0 || len(users[0].Checks) != 1 {
		return fmt.Sprint("no canary: ", err)
	}
	want := fmt.Sprintf("User-Name = \"gateway/canary\"\nUser-Password = \"%s\"\nMessage-Authenticator = 0x00\n", users[0].Checks[0].Value)
	if text != want {
		return "asks: " + text
	}
	return "asks as the canary"
}

// readListen is what the daemon listens on; all else is as it is for a node without any rows.
func readListen(text string, probed bool) (out []string) {
	bare := State{Settings: Settings{AuthPort: 1812, AccountingPort: 1813}}
	if probed {
		bare.Probe = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	}
	r, err := bare.Render()
	if err != nil {
		return []string{err.Error()}
	}
	_, want := parted(strings.TrimPrefix(string(r.File(ConfFile)), madeBy))
	listen, rest := parted(text)
	if !slices.Equal(rest, want) {
		return append(listen, fmt.Sprintf("radiusd.conf has other lines: %q", rest))
	}
	return listen
}

// parted has the sections that begin with listen apart from all other lines.
func parted(text string) (listen, rest []string) {
	var open []string
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "listen {":
			inside, open = true, nil
		case inside && line == "}":
			inside = false
			listen = append(listen, "listen "+strings.Join(open, ", "))
		case inside:
			open = append(open, line)
		default:
			rest = append(rest, line)
		}
	}
	return listen, rest
}
