package radiustest

import "gateway/internal/component/radius/protocol"

// Case is a question, and what is specified to be answered.
type Case struct {
	Name, Want string
	Question   Question
}

// Devices are whose addresses the questions of cases come from.
type Devices struct {
	Strict  string // a client that has to sign
	Lenient string // a client with the exception
	Unknown string // no client
}

// Disabled is a user that may not sign in, with the password.
type Disabled struct{ User, Password string }

const vendorSpecific protocol.Type = 26

// vendor is a Microsoft attribute, as MS-CHAP has them.
func vendor(typ byte, value []byte) []byte {
	return append([]byte{0, 0, 1, 0x37, typ, byte(len(value) + 2)}, value...)
}

func add(typ protocol.Type, values ...string) func(*protocol.Packet) {
	return func(p *protocol.Packet) {
		for _, v := range values {
			p.Add(typ, []byte(v))
		}
	}
}

func msCHAP(p *protocol.Packet) {
	p.Add(vendorSpecific, vendor(11, make([]byte, 8)))
	p.Add(vendorSpecific, vendor(1, make([]byte, 50)))
}

// Cases are all that is specified of a sign-in, around one that is right.
func Cases(right Question, from Devices, off Disabled) (all []Case) {
	right.From = from.Strict
	for _, c := range []struct {
		name, want string
		change     func(*Question)
	}{
		{"PAP with the right password", "accept", func(*Question) {}},
		{"PAP with a wrong one", "reject", func(q *Question) { q.Password = "another" }},
		{"CHAP with the right password", "accept", func(q *Question) { q.CHAP = true }},
		{"CHAP with a wrong one", "reject", func(q *Question) { q.CHAP, q.Password = true, "another" }},
		{"an unknown user", "reject", func(q *Question) { q.User = "nobody" }},
		{"a user that is switched off", "reject", func(q *Question) { q.User, q.Password = off.User, off.Password }},
		{"the canary, from a client", "reject", func(q *Question) { q.User = "gateway/canary" }},
		{"a name with a byte of zero", "reject", func(q *Question) { q.User += "\x00x" }},
		{"a name with a line break", "reject", func(q *Question) { q.User += "\n" }},
		{"DEFAULT", "reject", func(q *Question) { q.User = "DEFAULT" }},
		{"no password at all", "reject", func(q *Question) { q.Password = "" }},
		{"EAP", "reject", func(q *Question) { q.Password, q.Change = "", add(protocol.EAPMessage, identity(q.User)) }},
		{"EAP beside a right password", "silence", func(q *Question) { q.Change = add(protocol.EAPMessage, identity(q.User)) }},
		{"MS-CHAP", "reject", func(q *Question) { q.Password, q.Change = "", msCHAP }},
		{"no Message-Authenticator", "silence", func(q *Question) { q.Unsigned = true }},
		{"CHAP without a Message-Authenticator", "silence", func(q *Question) { q.CHAP, q.Unsigned = true, true }},
		{"a Message-Authenticator that is not right", "silence", func(q *Question) { q.Broken = true }},
		{"a wrong secret", "silence", func(q *Question) { q.Secret = "another" }},
		{"an unknown client", "silence", func(q *Question) { q.From = from.Unknown }},
		{"signed with a Proxy-State", "accept", func(q *Question) { q.Change = add(protocol.ProxyState, "of a proxy") }},
		{"unsigned with a Proxy-State", "silence", func(q *Question) { q.Unsigned, q.Change = true, add(protocol.ProxyState, "forged") }},
		{"a client with the exception, signed", "accept", func(q *Question) { q.From = from.Lenient }},
		{"a client with the exception, unsigned", "accept", func(q *Question) { q.From, q.Unsigned = from.Lenient, true }},
		{"a client with the exception, not rightly signed", "silence", func(q *Question) { q.From, q.Broken = from.Lenient, true }},
		{"a client with the exception, unsigned with a Proxy-State", "silence", func(q *Question) {
			q.From, q.Unsigned, q.Change = from.Lenient, true, add(protocol.ProxyState, "forged")
		}},
		{"a client with the exception, unsigned CHAP with two Proxy-States", "silence", func(q *Question) {
			q.From, q.Unsigned, q.CHAP, q.Change = from.Lenient, true, true, add(protocol.ProxyState, "forged", "")
		}},
	} {
		q := right
		c.change(&q)
		all = append(all, Case{c.name, c.want, q})
	}
	return all
}

// identity is how EAP begins.
func identity(user string) string {
	return string([]byte{2, 1, 0, byte(5 + len(user)), 1}) + user
}
