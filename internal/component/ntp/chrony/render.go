package chrony

import (
	"bytes"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/fault"
)

// ConfFile is the drop-in that is ours, among those that chrony reads from this folder.
const ConfFile = "/etc/chrony/conf.d/gateway.conf"

// Render is a pure function of the rows.
func (s State) Render() (daemon.Rendering, error) {
	v, problems := s.view()
	text, err := v.text(word)
	if err != nil {
		return daemon.Rendering{}, err
	}
	return daemon.Rendering{
		Files:    []daemon.File{{Path: ConfFile, Mode: 0o644, Data: text}},
		Units:    []daemon.Unit{{Name: Unit, Up: s.Settings.On()}},
		Problems: problems,
	}, nil
}

// view is what the file is made of.
type view struct {
	Sources    []Source
	MaxSources int
	Makestep   bool
	Rtcsync    bool
	Serve      bool
	Bind       []string
	Allow      []string
}

// view leaves out what the API would refuse today: a row may be older than the rule, or
// come from a node of another version.
func (s State) view() (view, []daemon.Problem) {
	v := view{Makestep: s.Settings.Makestep, Rtcsync: s.Settings.Rtcsync, Serve: s.Settings.ServeClients}
	var problems []daemon.Problem
	leaveOut := func(what string, err error) { problems = append(problems, daemon.Invalid(what, err)) }
	for _, src := range s.Sources {
		var p fault.Problems
		if src.Validate(&p); p.Err() != nil {
			leaveOut(fmt.Sprintf("the time source %q", src.Address), p.Err())
			continue
		}
		v.Sources = append(v.Sources, src)
	}
	slices.SortFunc(v.Sources, func(a, b Source) int { return strings.Compare(a.Address, b.Address) })
	v.MaxSources = share(v.Sources)
	if !v.Serve {
		return v, problems
	}
	for _, text := range s.Settings.AllowACL {
		spelled, err := network(text)
		if err != nil {
			problems = append(problems, daemon.Problem{Subject: fmt.Sprintf("the client network %q", text), Sentence: fault.SentenceOf(err)})
			continue
		}
		v.Allow = append(v.Allow, spelled)
	}
	listen := Settings{ListenAddresses: s.Settings.ListenAddresses}
	var p fault.Problems
	if listen.Validate(&p); p.Err() != nil {
		// One address less could mean all addresses, so nobody is served instead.
		leaveOut("serving clients", p.Err())
		v.Serve, v.Allow = false, nil
		return v, problems
	}
	v.Bind = bindings(listen.ListenAddresses)
	return v, problems
}

// wantedServers is how many servers of pools are asked: enough to outvote a wrong one, and
// what the operators of the public pool ask for.
const wantedServers = 4

// share is how many servers each pool contributes, so that together they have wantedServers.
func share(sources []Source) int {
	pools := 0
	for _, s := range sources {
		if s.Kind == "pool" {
			pools++
		}
	}
	return max(1, (wantedServers+max(pools, 1)-1)/max(pools, 1))
}

// bindings are the addresses to bind to, one per family: chrony serves a family that it
// is given no address of on all of them, so such a one is bound to the loopback. Without
// any address there are none.
func bindings(addresses []string) []string {
	if len(addresses) == 0 {
		return nil
	}
	v4, v6 := "127.0.0.1", "::1"
	for _, text := range addresses {
		if a, err := netip.ParseAddr(text); err == nil && a.Is4() {
			v4 = text
		} else if err == nil {
			v6 = text
		}
	}
	return []string{v4, v6}
}

// escape is what every value of an operator passes on its way into the file.
type escape func(string) (string, error)

var plainWord = regexp.MustCompile(`^[A-Za-z0-9.:_][A-Za-z0-9.:/_-]*$`)

// word fails the rendering on anything that chrony could read as more, or as other, than
// one word: there is no way to quote in its file.
func word(s string) (string, error) {
	if len(s) > 253 || !plainWord.MatchString(s) {
		return "", fmt.Errorf("%q is not one plain word", s)
	}
	return s, nil
}

// text is the file.
func (v view) text(word escape) ([]byte, error) {
	var b bytes.Buffer
	var wrong error
	// line is a directive; the values in it, which are operators', pass word.
	line := func(format string, values ...string) {
		escaped := make([]any, len(values))
		for i, value := range values {
			w, err := word(value)
			if err != nil && wrong == nil {
				wrong = fmt.Errorf("render %s: %w", ConfFile, err)
			}
			escaped[i] = w
		}
		fmt.Fprintf(&b, format+"\n", escaped...)
	}
	line("# Made by gateway from its database. Edits are undone; change it through the API instead.")
	for _, s := range v.Sources {
		line("%s %s"+s.options(v.MaxSources), s.Kind, s.Address)
	}
	if v.Makestep {
		line("makestep 1 3")
	}
	if v.Rtcsync {
		line("rtcsync")
	}
	if !v.Serve {
		line("port 0")
	}
	for _, address := range v.Bind {
		line("bindaddress %s", address)
	}
	for _, network := range v.Allow {
		line("allow %s", network)
	}
	return b.Bytes(), wrong
}

// options are what follows a source; most is how many servers a pool contributes.
func (s Source) options(most int) (text string) {
	if s.Iburst {
		text += " iburst"
	}
	if s.Prefer {
		text += " prefer"
	}
	if s.Minpoll != nil {
		text += fmt.Sprintf(" minpoll %d", *s.Minpoll)
	}
	if s.Maxpoll != nil {
		text += fmt.Sprintf(" maxpoll %d", *s.Maxpoll)
	}
	if s.Kind == "pool" {
		text += fmt.Sprintf(" maxsources %d", most)
	}
	return text
}
