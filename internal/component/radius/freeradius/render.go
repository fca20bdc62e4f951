package freeradius

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/secret"
)

// What the daemon reads. Everything but ConfFile and the list of clients holds secrets.
const (
	Folder        = "/etc/gateway/radius"
	ConfFile      = Folder + "/radiusd.conf"
	ClientsFile   = Folder + "/clients.conf"
	ClientsFolder = Folder + "/clients"
	UsersFile     = Folder + "/users"
	// ProbeFile lets this machine sign in; SecretFile and CanaryFile are what radclient asks with.
	ProbeFile  = Folder + "/probe.conf"
	SecretFile = Folder + "/probe.secret"
	CanaryFile = Folder + "/probe.request"

	// ProbePort is where this machine asks, on the loopback.
	ProbePort = 18120
	// canary is a user whose password is the generation of the users. No user of an operator's can
	// have the name, and nobody else than this machine may use it.
	canary = "gateway/canary"
)

//go:embed radiusd.conf.tmpl
var confTemplate string

//go:embed probe.conf.tmpl
var probeTemplate string

// ownSecret is as crypto/rand.Text makes it.
var ownSecret = regexp.MustCompile(`^[A-Z2-7]{26,64}$`)

const madeBy = "# Made by gateway from its database. Edits are undone; change it through the API instead.\n"

// Render is a pure function of the rows. What the API would refuse today is left out: a row may be
// older than the rule, or come from a node of another version.
func (s State) Render() (daemon.Rendering, error) {
	return s.render(quoting{word, octal, single})
}

// quoting is what every value of an operator passes on its way into a file.
type quoting struct {
	word   func(string) (string, error) // what needs no quotes
	secret func(string) string          // in FreeRADIUS's configuration
	value  func(string) string          // in its list of users
}

func (s State) render(q quoting) (daemon.Rendering, error) {
	if s.lost && s.Settings.On() {
		// A master key that is lost must not take the sign-in away from everybody.
		return daemon.Rendering{}, fault.New(fault.Invalid,
			"no RADIUS client, or no RADIUS user, can be decrypted with this node's master key; enter their secrets again, or put the right master key back").WithCode("keys_unreadable")
	}
	r := daemon.Rendering{Problems: s.sealed, Units: []daemon.Unit{{Name: Unit, Up: s.Settings.On()}}}
	settings := s.Settings
	var p fault.Problems
	if settings.Validate(&p); p.Err() != nil {
		// One address less could mean all addresses, so nobody is served instead.
		r.Problems = append(r.Problems, daemon.Invalid("the RADIUS settings", p.Err()))
		settings = Settings{ListenAddresses: []string{"127.0.0.1"}, AuthPort: 1812, AccountingPort: 1813}
		r.Units[0].Up = false
	}
	probe := s.Probe.Reveal()
	if probe != "" && probe != secret.Redacted && !ownSecret.MatchString(probe) { // a preview has that
		r.Problems = append(r.Problems, daemon.Problem{Subject: "the secret by which this node asks the RADIUS server", Sentence: fault.Said("is damaged")})
		probe = ""
	}
	conf, err := view{settings, probe != ""}.text(q.word)
	if err != nil {
		return daemon.Rendering{}, err
	}
	add := func(path, text string, confidential bool) {
		f := daemon.File{Path: path, Mode: 0o644, Data: []byte(text)}
		if confidential {
			f.Group, f.Mode = Group, 0o640
		}
		r.Files = append(r.Files, f)
	}
	add(ConfFile, conf, false)
	list, files := s.clients(q, &r)
	add(ClientsFile, list, false)
	for _, f := range files {
		add(f.path, f.text, true)
	}
	users, generation := s.users(q, &r)
	add(UsersFile, users, true)
	if probe != "" {
		add(ProbeFile, madeBy+"clients probe {\n\tclient loopback {\n\t\tipaddr = 127.0.0.1\n\t\tsecret = "+q.secret(probe)+"\n\t\trequire_message_authenticator = yes\n\t\tlimit_proxy_state = yes\n\t}\n}\n", true)
		add(SecretFile, probe+"\n", true)
		add(CanaryFile, fmt.Sprintf("User-Name = %q\nUser-Password = %q\nMessage-Authenticator = 0x00\n", canary, generation), true)
	}
	return r, nil
}

type file struct{ path, text string }

// clients has a file for each, so that a new one can be told to the running daemon, and the list of
// them. A file that is not there yet, or no longer, is no reason not to start.
func (s State) clients(q quoting, r *daemon.Rendering) (list string, files []file) {
	var b strings.Builder
	b.WriteString(madeBy)
	var taken []string
	for _, c := range sorted(s.Clients, func(c Client) string { return c.Name }) {
		var p fault.Problems
		c.Validate(&p)
		if slices.Contains(taken, c.Address) {
			p.Add("address", "is taken")
		}
		if err := p.Err(); err != nil {
			r.Problems = append(r.Problems, daemon.Invalid(fmt.Sprintf("the RADIUS client %q", c.Name), err))
			continue
		}
		taken = append(taken, c.Address)
		fmt.Fprintf(&b, "$-INCLUDE clients/%s.conf\n", c.Name)
		files = append(files, file{ClientsFolder + "/" + c.Name + ".conf", c.text(q)})
	}
	return b.String(), files
}

// text always says both of what protects from forged answers: FreeRADIUS's own default is to
// find out by the first packet.
func (c Client) text(q quoting) string {
	family := "ipaddr"
	if strings.Contains(c.Address, ":") {
		family = "ipv6addr"
	}
	signed := "yes"
	if !c.Signed {
		signed = "no"
	}
	return fmt.Sprintf("client %s {\n\t%s = %s\n\tsecret = %s\n\trequire_message_authenticator = %s\n\tlimit_proxy_state = yes\n}\n",
		c.Name, family, c.Address, q.secret(c.Secret.Reveal()), signed)
}

// users are one entry each, after that of the canary, whose password tells this list from any other.
func (s State) users(q quoting, r *daemon.Rendering) (text, generation string) {
	var b strings.Builder
	before := ""
	for _, u := range sorted(s.Users, func(u User) string { return u.Name }) {
		var p fault.Problems
		if u.Validate(&p); u.Name == before {
			p.Add("name", "is taken")
		}
		if err := p.Err(); err != nil {
			r.Problems = append(r.Problems, daemon.Invalid(fmt.Sprintf("the RADIUS user %q", u.Name), err))
			continue
		}
		before = u.Name
		u.write(&b, q)
	}
	sum := sha256.Sum256([]byte(b.String()))
	generation = hex.EncodeToString(sum[:16])
	return madeBy + canary + " Cleartext-Password := '" + generation + "'\n" + b.String(), generation
}

func (u User) write(b *strings.Builder, q quoting) {
	if !u.Enabled {
		b.WriteString(u.Name + " Auth-Type := Reject\n")
		return
	}
	b.WriteString(u.Name + " Cleartext-Password := " + q.value(u.Password.Reveal()) + "\n")
	if u.VLAN != nil {
		fmt.Fprintf(b, "\tTunnel-Type = VLAN,\n\tTunnel-Medium-Type = IEEE-802,\n\tTunnel-Private-Group-Id = '%d'\n", *u.VLAN)
	}
}

func sorted[T any](list []T, name func(T) string) []T {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b T) int { return strings.Compare(name(a), name(b)) })
	return out
}

// octal is a value between the double quotes of FreeRADIUS's configuration. Between single ones it
// keeps backslashes, so that some values could not be said; here everything that could mean
// something is said by its number.
func octal(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		if c := s[i]; c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

var singleQuotes = strings.NewReplacer(`\`, `\\`, `'`, `\'`)

// single is a value between the single quotes of the list of users. Between double ones it would
// be expanded at each sign-in, and %{exec:…} is a program.
func single(s string) string { return "'" + singleQuotes.Replace(s) + "'" }

var plainWord = regexp.MustCompile(`^[0-9a-f.:*]+$`)

// word fails the rendering on anything that is not an address.
func word(s string) (string, error) {
	if !plainWord.MatchString(s) {
		return "", fmt.Errorf("%q is not an address", s)
	}
	return s, nil
}

// view is what the file is made of.
type view struct {
	Settings
	Probe bool
}

// listener is one address to listen on.
type listener struct{ Family, Address string }

// Listen are the addresses, all of them where none is named. Beside all of a family, one of it
// would be taken already.
func (v view) Listen() []listener {
	all := []netip.Addr{netip.IPv4Unspecified(), netip.IPv6Unspecified()}
	if len(v.ListenAddresses) > 0 {
		all = all[:0]
		for _, text := range v.ListenAddresses {
			if a, err := netip.ParseAddr(text); err == nil {
				all = append(all, a)
			}
		}
	}
	var out []listener
	for _, a := range all {
		covered := slices.ContainsFunc(all, func(b netip.Addr) bool { return b.IsUnspecified() && b.Is4() == a.Is4() && b != a })
		switch {
		case covered:
		case a.Is4():
			out = append(out, listener{"ipaddr", a.String()})
		default:
			out = append(out, listener{"ipv6addr", a.String()})
		}
	}
	return out
}

func (v view) text(word func(string) (string, error)) (string, error) {
	var listen strings.Builder
	for _, l := range v.Listen() {
		address, err := word(l.Address)
		if err != nil {
			return "", fmt.Errorf("render %s: %w", ConfFile, err)
		}
		for _, on := range []struct {
			kind string
			port int
		}{{"auth", v.AuthPort}, {"acct", v.AccountingPort}} {
			fmt.Fprintf(&listen, "\tlisten {\n\t\ttype = %s\n\t\t%s = %s\n\t\tport = %d\n\t}\n", on.kind, l.Family, address, on.port)
		}
	}
	var include, probe string
	if v.Probe {
		include = "$INCLUDE probe.conf\n"
		probe = strings.NewReplacer("{{port}}", strconv.Itoa(ProbePort), "{{canary}}", canary).Replace(probeTemplate)
	}
	return strings.NewReplacer("{{include}}\n", include, "{{listen}}\n", listen.String(), "{{probe}}\n", probe).Replace(confTemplate), nil
}
