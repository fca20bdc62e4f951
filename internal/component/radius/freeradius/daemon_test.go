package freeradius_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gateway/internal/component/radius/freeradius"
	"gateway/internal/component/radius/protocol"
	"gateway/internal/component/radius/radiustest"
	"gateway/internal/secret"
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
func verdict(p *protocol.Packet) string {
	switch {
	case p == nil:
		return "silence"
	case p.Code == protocol.AccessAccept:
		return "accept"
	case p.Code == protocol.AccessReject:
		return "reject"
	}
	return fmt.Sprintf("code %d", p.Code)
}

// vendor is a Microsoft attribute, as MS-CHAP has them.
func vendor(typ byte, value []byte) []byte {
	return append([]byte{0, 0, 1, 0x37, typ, byte(len(value) + 2)}, value...)
}

// shows RAD-04, RAD-05, RAD-06
func TestSignIns(t *testing.T) {
	l := lab.New(t)
	s := radiustest.New(t, l)
	stranger := l.Client("stranger")
	s.Use(typical())
	right := radiustest.Question{Secret: shared, User: "alice", Password: "wonder land"}
	with := func(change func(*radiustest.Question)) radiustest.Question {
		q := right
		change(&q)
		return q
	}
	add := func(typ protocol.Type, value []byte) func(*protocol.Packet) {
		return func(p *protocol.Packet) { p.Add(typ, value) }
	}
	const vendorSpecific protocol.Type = 26
	for _, tc := range []struct {
		name, want string
		q          radiustest.Question
	}{
		{"PAP with the right password", "accept", right},
		{"PAP with a wrong one", "reject", with(func(q *radiustest.Question) { q.Password = "wonder" })},
		{"CHAP with the right password", "accept", with(func(q *radiustest.Question) { q.CHAP = true })},
		{"CHAP with a wrong one", "reject", with(func(q *radiustest.Question) { q.CHAP, q.Password = true, "wonder" })},
		{"an unknown user", "reject", with(func(q *radiustest.Question) { q.User = "nobody" })},
		{"a user that is switched off", "reject", with(func(q *radiustest.Question) { q.User, q.Password = "carl", "gone" })},
		{"the canary, from a client", "reject", with(func(q *radiustest.Question) { q.User = "gateway/canary" })},
		{"a name with a byte of zero", "reject", with(func(q *radiustest.Question) { q.User = "alice\x00x" })},
		{"a name with a line break", "reject", with(func(q *radiustest.Question) { q.User = "alice\n" })},
		{"DEFAULT", "reject", with(func(q *radiustest.Question) { q.User = "DEFAULT" })},
		{"no password at all", "reject", with(func(q *radiustest.Question) { q.Password = "" })},
		{"EAP", "reject", with(func(q *radiustest.Question) {
			q.Password, q.Change = "", add(protocol.EAPMessage, []byte{2, 1, 0, 10, 1, 'a', 'l', 'i', 'c', 'e'})
		})},
		{"EAP beside a right password", "silence", with(func(q *radiustest.Question) {
			q.Change = add(protocol.EAPMessage, []byte{2, 1, 0, 10, 1, 'a', 'l', 'i', 'c', 'e'})
		})},
		{"MS-CHAP", "reject", with(func(q *radiustest.Question) {
			q.Password, q.Change = "", func(p *protocol.Packet) {
				p.Add(vendorSpecific, vendor(11, make([]byte, 8)))
				p.Add(vendorSpecific, vendor(1, make([]byte, 50)))
			}
		})},
		{"no Message-Authenticator", "silence", with(func(q *radiustest.Question) { q.Unsigned = true })},
		{"a wrong secret", "silence", with(func(q *radiustest.Question) { q.Secret = "another" })},
		{"an unknown client on this machine", "silence", with(func(q *radiustest.Question) { q.From = "127.0.0.9" })},
		{"the loopback, which is no client", "silence", with(func(q *radiustest.Question) { q.From, q.Secret = "127.0.0.1", "ABCDEFGHIJKLMNOPQRSTUVWXYZ" })},
		{"a client with the exception, signed", "accept", with(func(q *radiustest.Question) { q.From = "127.0.0.3" })},
		{"a client with the exception, unsigned", "accept", with(func(q *radiustest.Question) { q.From, q.Unsigned = "127.0.0.3", true })},
		{"a client with the exception, unsigned with a Proxy-State", "silence", with(func(q *radiustest.Question) {
			q.From, q.Unsigned, q.Change = "127.0.0.3", true, add(protocol.ProxyState, []byte("forged"))
		})},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := verdict(s.Ask(tc.q)); got != tc.want {
				t.Errorf("answered %s, want %s", got, tc.want)
			}
		})
	}
	t.Run("another machine", func(t *testing.T) {
		q := with(func(q *radiustest.Question) { q.From, q.To = stranger.IP().String(), s.IP().String()+":1812" })
		if got := verdict(s.AskFrom(stranger, q)); got != "silence" {
			t.Errorf("answered %s", got)
		}
	})
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
