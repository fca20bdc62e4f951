package freeradius

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/component/componenttest"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/secret"
	"gateway/tools/bar"
)

// Whatever rows there are, the files say what the good ones of them say and nothing else, and
// FreeRADIUS takes them. The control renders the same rows without escaping.
//
// shows T22
func TestBarServices02FreeRADIUS(t *testing.T) {
	bar.NotShort(t)
	n, every := bar.GateSize(500, 500, 20000), bar.GateSize(10, 1, 1) // it takes a process each
	seed := componenttest.FuzzSeed(t)
	random := rand.New(rand.NewPCG(seed, seed))
	config := New(Options{Exec: componenttest.ExecInRoot(t)}).Config
	whole, control, checked, values := 0, 0, 0, 0
	for i := range n {
		s := fuzzed(random)
		r, err := s.Render()
		if err != nil {
			t.Fatalf("seed %d: not rendered: %v\n%#v", seed, err, s)
		}
		good := s.good()
		diff := readBack(r, good)
		if rest := cmp.Diff(good.meantRest(), readRest(r)); diff != "" || rest != "" {
			t.Fatalf("seed %d: the files say something else (-rows +files):\n%s%s\n%#v", seed, diff, rest, s)
		}
		values += len(good.Clients) + len(good.Users)
		if len(r.Problems) == 0 {
			whole++
		}
		if s.breaksOut() {
			control++
		}
		if i%every == 0 {
			checked++
			if err := componenttest.Check(t, config, r); err != nil {
				t.Fatalf("seed %d: refused by FreeRADIUS: %v\n%#v", seed, err, s)
			}
		}
	}
	t.Logf("seed %d", seed)
	figure := fmt.Sprintf("FreeRADIUS: %d configurations, %d of them taken whole, %d clients and users, 0 bad, %d checked by freeradius -C; without escaping %d broke out", n, whole, values, checked, control)
	bar.Report(t, "services", 2, figure, fmt.Sprintf("0 bad of %d; control breaks out", n), whole > 0 && whole < n && control > 0 && values > 2*n)
}

// good is what of the rows the API would take.
func (s State) good() State {
	names, addresses := map[string]bool{}, map[string]bool{}
	slices.SortStableFunc(s.Clients, func(a, b Client) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(s.Users, func(a, b User) int { return strings.Compare(a.Name, b.Name) })
	out := State{Settings: s.Settings, Probe: s.Probe}
	out.Settings.ListenAddresses = slices.Clone(s.Settings.ListenAddresses)
	var p fault.Problems
	if out.Settings.Validate(&p); p.Err() != nil { // nobody is served
		off := false
		out.Settings = Settings{Enabled: &off, ListenAddresses: []string{"127.0.0.1"}, AuthPort: 1812, AccountingPort: 1813}
	}
	if len(s.Probe) < 26 || len(s.Probe) > 64 || strings.Trim(s.Probe.Reveal(), "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		out.Probe = ""
	}
	for _, c := range s.Clients {
		var p fault.Problems
		if c.Validate(&p); p.Err() == nil && !addresses[c.Address] {
			addresses[c.Address] = true
			out.Clients = append(out.Clients, c)
		}
	}
	for _, u := range s.Users {
		var p fault.Problems
		if u.Validate(&p); p.Err() == nil && !names[u.Name] {
			names[u.Name] = true
			out.Users = append(out.Users, u)
		}
	}
	return out
}

// readBack is the difference between rows and what the files say of them.
func readBack(r daemon.Rendering, want State) string {
	var clients []Client
	for _, f := range r.Files {
		if !isClient(f.Path) {
			continue
		}
		c, err := readClient(string(f.Data))
		if err != nil {
			return err.Error()
		}
		clients = append(clients, c)
	}
	users, err := rowsOf(string(r.File(UsersFile)))
	if err != nil {
		return err.Error()
	}
	for i := range want.Users {
		if !want.Users[i].Enabled { // neither is told of one that is switched off
			want.Users[i].Password, want.Users[i].VLAN = "", nil
		}
	}
	return cmp.Diff(open(want.Clients, want.Users), open(clients, users))
}

// open is rows as text, secrets too.
func open(clients []Client, users []User) (out []string) {
	for _, c := range clients {
		out = append(out, fmt.Sprintf("client %q %q %q %t", c.Name, c.Address, c.Secret.Reveal(), c.Signed))
	}
	for _, u := range users {
		vlan := 0
		if u.VLAN != nil {
			vlan = *u.VLAN
		}
		out = append(out, fmt.Sprintf("user %q %q %t %d", u.Name, u.Password.Reveal(), u.Enabled, vlan))
	}
	return out
}

// readClient reads one back. It knows the lines that we write, and no others.
func readClient(text string) (c Client, err error) {
	top, err := readConf(text)
	if err != nil {
		return c, err
	}
	if len(top.Pairs) > 0 || len(top.Sections) != 1 || len(top.Sections[0].Sections) > 0 || len(top.Sections[0].Pairs) != 4 {
		return c, fmt.Errorf("not one client: %q", text)
	}
	one := top.Sections[0]
	p := one.Pairs
	c.Name, c.Address, c.Secret, c.Signed = strings.TrimPrefix(one.Name, "client "), p[0].Value, secret.Text(p[1].Value), p[2].Value == "yes"
	if p[0].Name != map[bool]string{true: "ipv6addr", false: "ipaddr"}[strings.Contains(c.Address, ":")] || p[1].Name != "secret" ||
		p[2].Name != "require_message_authenticator" || p[3] != (pair{"limit_proxy_state", "=", "yes"}) {
		return c, fmt.Errorf("pairs that nobody wrote: %q", p)
	}
	return c, nil
}

// rowsOf reads users back, after the canary.
func rowsOf(text string) (users []User, err error) {
	all, err := readUsers(text)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 || all[0].Name != canary {
		return nil, fmt.Errorf("the canary is not the first")
	}
	for _, e := range all[1:] {
		u := User{Name: e.Name, Enabled: true}
		switch {
		case len(e.Checks) != 1:
			return nil, fmt.Errorf("checks that nobody wrote: %q", e.Checks)
		case e.Checks[0] == pair{"Auth-Type", ":=", "Reject"}:
			u.Enabled = false
		case e.Checks[0].Name == "Cleartext-Password" && e.Checks[0].Op == ":=":
			u.Password = secret.Text(e.Checks[0].Value)
		default:
			return nil, fmt.Errorf("a check that nobody wrote: %q", e.Checks)
		}
		if len(e.Reply) > 0 {
			vlan := 0
			_, err := fmt.Sscan(e.Reply[len(e.Reply)-1].Value, &vlan)
			if err != nil || !slices.Equal(e.Reply, []pair{{"Tunnel-Type", "=", "VLAN"}, {"Tunnel-Medium-Type", "=", "IEEE-802"}, {"Tunnel-Private-Group-Id", "=", fmt.Sprint(vlan)}}) {
				return nil, fmt.Errorf("a reply that nobody wrote: %q", e.Reply)
			}
			u.VLAN = &vlan
		}
		users = append(users, u)
	}
	return users, nil
}

// breaksOut renders rows with escaping and checks switched off, and reports whether a reader finds
// something in the files that nobody wrote.
func (s State) breaksOut() bool {
	naive := quoting{secret: func(s string) string { return `"` + s + `"` }, value: func(s string) string { return "'" + s + "'" }}
	r := daemon.Rendering{}
	var b strings.Builder
	b.WriteString(canary + " Cleartext-Password := '1'\n")
	for _, u := range s.Users {
		u.write(&b, naive)
	}
	for i, c := range s.Clients {
		r.Files = append(r.Files, daemon.File{Path: fmt.Sprintf("%s/%d.conf", ClientsFolder, i), Data: []byte(c.text(naive))})
	}
	r.Files = append(r.Files, daemon.File{Path: UsersFile, Data: []byte(b.String())})
	return readBack(r, State{Clients: s.Clients, Users: slices.Clone(s.Users)}) != ""
}

// fuzzed is half of the time made of good values only, else with some bad ones among them.
func fuzzed(r *rand.Rand) State {
	spoil := 0
	if r.IntN(2) == 0 {
		spoil = 1 + r.IntN(3)
	}
	pick := func(good string) string {
		if spoil > 0 && r.IntN(10) < spoil {
			return hostile(r, good)
		}
		return good
	}
	on := r.IntN(4) > 0
	s := State{Settings: Settings{Enabled: &on, AuthPort: 1812, AccountingPort: 1813}, Probe: secret.Text(pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))}
	if r.IntN(2) == 0 {
		for range r.IntN(4) {
			s.Settings.ListenAddresses = append(s.Settings.ListenAddresses, pick([]string{"192.0.2.1", "2001:db8::1", "0.0.0.0", "::", "127.0.0.1"}[r.IntN(5)]))
		}
	}
	if spoil > 0 && r.IntN(10) < spoil {
		s.Settings.AuthPort, s.Settings.AccountingPort = r.IntN(70000)-1000, []int{1813, ProbePort, 0, 70000}[r.IntN(4)]
	}
	for i := range r.IntN(5) {
		s.Clients = append(s.Clients, Client{
			Name: pick(fmt.Sprint("client-", i)), Address: pick(network(r)), Secret: secret.Text(pick(text(r, 1+r.IntN(30)))), Signed: r.IntN(2) == 0,
		})
	}
	for i := range r.IntN(6) {
		u := User{Name: pick(fmt.Sprint("user.", i, "@example")), Password: secret.Text(pick(text(r, 1+r.IntN(40)))), Enabled: r.IntN(5) > 0}
		if r.IntN(2) == 0 {
			vlan := 1 + r.IntN(4094)
			if spoil > 0 && r.IntN(10) < spoil {
				vlan = r.IntN(10000) - 5000
			}
			u.VLAN = &vlan
		}
		s.Users = append(s.Users, u)
	}
	return s
}

func network(r *rand.Rand) string {
	if r.IntN(3) == 0 {
		return fmt.Sprintf("2001:db8:%x::/%d", 1+r.IntN(65535), 48+r.IntN(81))
	}
	return fmt.Sprintf("192.0.%d.%d/%d", r.IntN(256), 1+r.IntN(254), 20+r.IntN(13))
}

// text is any printable ASCII; of every character a value may have.
func text(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = ' ' + byte(r.IntN('~'-' '+1))
		if r.IntN(4) == 0 {
			b[i] = `'"\%${}#,`[r.IntN(9)]
		}
	}
	return string(b)
}

// hostile is a value that tries to be more than a value.
func hostile(r *rand.Rand, good string) string {
	all := []string{
		good + "\nDEFAULT Auth-Type := Accept", good + "'\nDEFAULT Auth-Type := Accept\n#", good + "', Auth-Type := Accept, Tmp-String-1 := '", good + "\" \n\trequire_message_authenticator = no\n#",
		good + "\"\n}\nclient all {\n\tipaddr = 0.0.0.0/0\n\tsecret = \"x", good + "\n}\nmodules {\n", good + "\r\n\tReply-Message = 'x'", good + "\x00", good + "\x0b", good + "\u2028", good + "\u202e",
		"DEFAULT", "default7", "$INCLUDE /etc/shadow", "../../../etc/passwd", "..", ".", "-", "", " ", "#" + good, good + " {", good + "}", "%{exec:/bin/id}", "`/bin/id`", "0.0.0.0/0", "::/0",
		"::ffff:192.0.2.1", "192.0.2.1/33", "010.0.0.1", "224.0.0.1", "fe80::1%eth0", "*", canary, good + "\\", "'" + good + "'", strings.Repeat(good, 40), "ü" + good, good + "\xff",
	}
	if r.IntN(8) == 0 { // anything at all
		b := make([]byte, r.IntN(40))
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		return string(b)
	}
	return all[r.IntN(len(all))]
}
