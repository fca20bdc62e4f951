package freeradius_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"gateway/internal/component/radius/freeradius"
	"gateway/internal/component/radius/protocol"
	"gateway/internal/component/radius/radiustest"
	"gateway/internal/secret"
	"gateway/internal/value"
	"gateway/lab"
)

const shared = "correct-horse-battery"

// typical is a server with a client on the loopback, from which tests ask.
func typical() freeradius.State {
	on := true
	return freeradius.State{
		Settings: freeradius.Settings{Enabled: &on, AuthPort: 1812, AccountingPort: 1813, Zones: []string{"lan"}},
		Probe:    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		Clients: []freeradius.Client{
			{Name: "ap-1", Address: "127.0.0.2", Secret: shared, Signed: true},
			{Name: "old-switch", Address: "127.0.0.3", Secret: shared},
		},
		Users: []freeradius.User{
			{Name: "alice", Password: "wonder land", Enabled: true, VLAN: pointer(10)},
			{Name: "bob", Password: "builder", Enabled: true},
			{Name: "carl", Password: "gone", Enabled: false, VLAN: pointer(7)},
		},
	}
}

func pointer[T any](v T) *T { return &v }

// verdict is an answer in a word.
func verdict(p *protocol.Packet) string { return radiustest.Verdict(p) }

// shows RAD-04, RAD-05, RAD-06
func TestSignIns(t *testing.T) {
	l := lab.New(t)
	s := radiustest.New(t, l)
	stranger := l.Client("stranger")
	s.Use(typical())
	right := radiustest.Question{Secret: shared, User: "alice", Password: "wonder land"}
	cases := radiustest.Cases(right, radiustest.Devices{Strict: "127.0.0.2", Lenient: "127.0.0.3", Unknown: "127.0.0.9"}, radiustest.Disabled{User: "carl", Password: "gone"})
	own, far := right, right
	own.From, own.Secret = "127.0.0.1", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	far.From, far.To = stranger.IP().String(), s.IP().String()+":1812"
	cases = append(cases, radiustest.Case{Name: "the loopback, which is no client", Want: "silence", Question: own},
		radiustest.Case{Name: "another machine", Want: "silence", Question: far})
	got := make([]string, len(cases))
	var all sync.WaitGroup // all at once: silence takes its time
	for i, tc := range cases {
		from := s.Client
		if tc.Name == "another machine" {
			from = stranger
		}
		all.Go(func() {
			p, err := radiustest.Ask(t.Context(), from, tc.Question, radiustest.Patience)
			if got[i] = verdict(p); err != nil {
				got[i] = err.Error()
			}
		})
	}
	all.Wait()
	for i, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			if got[i] != tc.Want {
				t.Errorf("answered %s, want %s", got[i], tc.Want)
			}
		})
	}
}

func TestTheLogHasTheAddressOfBothFamilies(t *testing.T) {
	s := radiustest.New(t, lab.New(t))
	state := typical()
	state.Clients = append(state.Clients, freeradius.Client{Name: "six", Address: "fd00::2", Secret: shared, Signed: true})
	s.MustRun(t, "ip", "addr", "add", "fd00::2/128", "dev", "lo", "nodad")
	s.Use(state)
	for _, from := range []string{"127.0.0.2", "fd00::2"} {
		q := radiustest.Question{From: from, Secret: shared, User: "alice", Password: "wonder land"}
		if from != "127.0.0.2" {
			q.To = "[::1]:1812"
		}
		accepted := verdict(s.Ask(q))
		q.Password = "wrong"
		if refused := verdict(s.Ask(q)); accepted != "accept" || refused != "reject" {
			t.Errorf("from %s: %s, then %s", from, accepted, refused)
		}
		log := s.Logged()["signins.json"]
		if strings.Count(log, `"from":"`+from+`"`) != 1 || strings.Count(log, " alice "+from+" ") != 1 {
			t.Errorf("the log has not two sign-ins from %s:\n%s", from, log)
		}
	}
}

// told is how a value that somebody sent is told.
func told(sent string) string {
	if !utf8.ValidString(sent) {
		return fmt.Sprintf("0x%x", sent)
	}
	return value.Visible(sent)
}

// What others sent is a value of its line in the log, and never a line or a column of its own.
func TestHostileValuesAreOneLineOfTheLog(t *testing.T) {
	s := radiustest.New(t, lab.New(t))
	s.Use(typical())
	rnd := rand.New(rand.NewPCG(7, 7))
	parts := []string{"\t", "\n", "\r", "\\", `\n`, `\011`, `"`, "'", "%", "%{User-Name}", "${logdir}", "\x00", "\x7f", "\x80", "\xff", "é", "\u202e", "a", "0", " ", "\n" + `{"at":1700000000,"result":"Access-Accept","user":"626f62","client":"ap-1","from":"192.0.2.1","station":"","nas":""}` + "\n", `","user":"626f62`}
	hostileText := func() (out string) {
		for range 1 + rnd.IntN(5) {
			out += parts[rnd.IntN(len(parts))]
		}
		return out
	}
	want := map[string]int{}
	var all sync.WaitGroup
	for i := range 120 {
		name, station, nas := "alice", hostileText(), hostileText()
		if i%2 == 0 {
			name = hostileText() + "x"
		}
		want[fmt.Sprintf("%q %q %q", told(name), told(station), told(nas))]++
		q := radiustest.Question{Secret: shared, User: name, Password: "wonder land", Change: func(p *protocol.Packet) {
			p.Add(protocol.CallingStationID, []byte(station))
			p.Add(protocol.NASIdentifier, []byte(nas))
		}}
		all.Go(func() {
			p, err := s.TryFor(q, radiustest.Patience)
			if accepted := verdict(p) == "accept"; err != nil || accepted != (name == "alice") {
				t.Errorf("%q is answered %s, %v", name, verdict(p), err)
			}
		})
	}
	all.Wait()
	said, err := freeradius.New(freeradius.Options{Units: s, Log: s.Log()}).Verbs[freeradius.SignInsVerb](t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, one := range said.(freeradius.SignIns).Recent {
		if one.Client != "ap-1" || one.From != "127.0.0.2" {
			t.Errorf("told: %+v", one)
		}
		got[fmt.Sprintf("%q %q %q", one.User, one.Station, one.NAS)]++
	}
	for sent, n := range want {
		if got[sent] != n {
			t.Errorf("%s was sent %d times, and told %d times", sent, n, got[sent])
		}
		delete(got, sent)
	}
	if len(got) > 0 {
		t.Errorf("told, and never sent: %v", got)
	}
}

func TestAVLANIsForWhoIsLetIn(t *testing.T) {
	s := radiustest.New(t, lab.New(t))
	s.Use(typical())
	vlan := func(p *protocol.Packet) string {
		return fmt.Sprintf("%s %v %v %s", verdict(p), p.Get(protocol.TunnelType), p.Get(protocol.TunnelMediumType), p.Get(protocol.TunnelPrivateGroupID))
	}
	q := radiustest.Question{Secret: shared, User: "alice", Password: "wonder land"}
	if got := vlan(s.Ask(q)); got != "accept [0 0 0 13] [0 0 0 6] 10" {
		t.Errorf("alice got %s", got)
	}
	q.Password = "wrong"
	if got := vlan(s.Ask(q)); got != "reject [] [] " {
		t.Errorf("somebody else got %s", got)
	}
	q.User, q.Password = "bob", "builder"
	if got := vlan(s.Ask(q)); got != "accept [] [] " {
		t.Errorf("bob got %s", got)
	}
}

// hostile are secrets and passwords that would be more than a value if they could.
var hostile = []string{
	`'`, `"`, `\`, `\\`, `'\'`, `abc\`, `\'`, `'quoted'`, `"quoted"`, `${logdir}`, `$ENV{HOME}`, `%{exec:/usr/bin/touch /tmp/ran}`, "`/usr/bin/touch /tmp/ran`", `%{User-Name}`,
	`x', Auth-Type := Accept`, `x' Auth-Type := Accept #`, `x} client y { ipaddr = 0.0.0.0/0`, `# comment`, `, `, `:= x`, ` leading`, `trailing `, `0x414243`, `{clear}x`, `{crypt}x`, `\n`, `\x41`, `\101`,
	`$INCLUDE /etc/shadow`, `@file`, `;`, `!`, `%%`, `%`, `$`, `DEFAULT`, `=`, printable(),
}

func printable() string {
	var b strings.Builder
	for c := byte(' '); c <= '~'; c++ {
		b.WriteByte(c)
	}
	return b.String()
}

func TestHostileSecretsAndPasswordsAreValues(t *testing.T) {
	s := radiustest.New(t, lab.New(t))
	state := typical()
	state.Clients, state.Users = nil, nil
	passwords := append(slices.Clone(hostile), "ünïcödé €", strings.Repeat("ab'\\", 32))
	for i, text := range hostile {
		state.Clients = append(state.Clients, freeradius.Client{Name: fmt.Sprint("c", i), Address: fmt.Sprintf("127.0.1.%d", i+1), Secret: secret.Text(text), Signed: true})
	}
	for i, text := range passwords {
		state.Users = append(state.Users, freeradius.User{Name: fmt.Sprint("u", i), Password: secret.Text(text), Enabled: true})
	}
	s.Use(state)
	for i, password := range passwords {
		at := i % len(hostile)
		for _, chap := range []bool{false, true} {
			q := radiustest.Question{From: fmt.Sprintf("127.0.1.%d", at+1), Secret: hostile[at], User: fmt.Sprint("u", i), Password: password, CHAP: chap}
			if got := verdict(s.Ask(q)); got != "accept" {
				t.Errorf("the secret %q and the password %q (CHAP: %t): %s", hostile[at], password, chap, got)
			}
		}
	}
	if out, err := s.Run(t.Context(), "test", "-e", "/tmp/ran"); err == nil {
		t.Errorf("a program ran: %s", out)
	}
}
