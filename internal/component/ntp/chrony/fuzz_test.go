package chrony

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/component/componenttest"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
	"gateway/tools/bar"
)

// canaries are lines that chronyd takes; none of their first words may ever begin one that it reads.
var canaries = []string{
	"mailonchange root 0.5", "include /nonexistent/*", "cmdallow all", "local stratum 1", "sourcedir /etc", "keyfile /etc/shadow", "user root",
	"refclock SHM 0", "broadcast 30 192.0.2.255", "deny all", "hwtimestamp *",
}

func canary(word string) bool {
	return slices.ContainsFunc(canaries, func(line string) bool { return strings.EqualFold(word, strings.Fields(line)[0]) })
}

// Whatever rows the API accepts, chronyd takes the file, and reads from it what the rows
// say and nothing else.
func TestFuzzedRowsRender(t *testing.T) {
	n := bar.Size(500, 20000)
	seed := componenttest.FuzzSeed(t)
	random := rand.New(rand.NewPCG(seed, seed))
	exec := componenttest.Exec(t)
	refused, control := 0, 0
	for range n {
		s := fuzzedState(random)
		raw := s.clone()
		if s.accepted() {
			if r, err := s.Render(); err != nil || len(r.Problems) > 0 {
				t.Errorf("accepted, but not all rendered: %v, %+v", err, r.Problems)
			}
			holds(t, exec, s)
		} else {
			refused++
			holds(t, exec, raw) // rows may come by other ways; what is bad of them is left out
			if breaksOut(t, exec, raw) {
				control++
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d: %#v", seed, raw)
		}
	}
	t.Logf("seed %d: %d states, %d accepted, 0 bad; of the %d refused ones %d broke out when rendered without escaping", seed, n, n-refused, refused, control)
	if refused == n || control == 0 {
		t.Errorf("%d of %d were refused, and %d of them broke out without escaping: this shows nothing", refused, n, control)
	}
}

// accepted is what the API does with the rows: it refuses them, or spells them its way.
func (s *State) accepted() bool {
	var p fault.Problems
	s.Settings.Validate(&p)
	seen := map[string]bool{}
	for i := range s.Sources {
		s.Sources[i].Validate(&p)
		address := strings.ToLower(s.Sources[i].Address)
		if seen[address] {
			p.Add("address", "is taken") // by the unique index
		}
		seen[address] = true
	}
	return p.Err() == nil
}

func (s State) clone() State {
	s.Sources = slices.Clone(s.Sources)
	s.Settings.AllowACL = slices.Clone(s.Settings.AllowACL)
	s.Settings.ListenAddresses = slices.Clone(s.Settings.ListenAddresses)
	return s
}

// holds renders rows, and lets chronyd print what it reads from them.
func holds(t *testing.T, exec sys.Runner, s State) {
	t.Helper()
	r, err := s.Render()
	if err != nil {
		t.Errorf("not rendered: %v", err)
		return
	}
	printed, err := printedBy(t, exec, r.Files[0].Data)
	if err != nil {
		t.Errorf("refused by chronyd: %v\n%s", err, r.Files[0].Data)
		return
	}
	got, err := parse(printed)
	if err != nil {
		t.Errorf("%v\n%s", err, r.Files[0].Data)
		return
	}
	want, _ := s.view()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chronyd reads something else (-rows +chronyd):\n%s", diff)
	}
}

// breaksOut renders refused rows with escaping and checks switched off, and reports whether
// chronyd takes the file and reads lines or options from it that nobody wrote.
func breaksOut(t *testing.T, exec sys.Runner, s State) bool {
	t.Helper()
	v := view{
		Sources: s.Sources, MaxSources: share(s.Sources), Makestep: s.Settings.Makestep, Rtcsync: s.Settings.Rtcsync,
		Serve: s.Settings.ServeClients, Bind: s.Settings.ListenAddresses, Allow: s.Settings.AllowACL,
	}
	text, err := v.text(func(s string) (string, error) { return s, nil })
	if err != nil {
		t.Fatal(err)
	}
	printed, err := printedBy(t, exec, text)
	if err != nil {
		return false
	}
	_, err = parse(printed)
	return err != nil
}

// printedBy are the lines that chronyd understood, in its own spelling, less the directives before our file.
func printedBy(t *testing.T, exec sys.Runner, file []byte) ([]string, error) {
	t.Helper()
	var out []byte
	c := &chronyd{exec: func(ctx context.Context, command sys.Command) (sys.Result, error) {
		res, err := exec(ctx, command)
		out = res.Stdout
		return res, err
	}}
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	if err := (daemon.Rendering{Files: []daemon.File{{Path: ConfFile, Data: file}}}).Stage(dir); err != nil {
		t.Fatal(err)
	}
	if err := c.check(t.Context(), dir); err != nil {
		return nil, err
	}
	all := lines(string(out))
	if len(all) < len(Directives()) || !slices.Equal(all[:len(Directives())], Directives()) {
		return nil, errors.New("our directives are not what chronyd read first")
	}
	return all[len(Directives()):], nil
}

// parse reads the view back. It knows the lines that we write, and no others.
func parse(printed []string) (view, error) {
	v := view{Serve: true}
	for _, line := range printed {
		w := strings.Split(line, " ")
		if canary(w[0]) {
			return v, fmt.Errorf("a canary became a directive: %q", line)
		}
		switch {
		case (w[0] == "pool" || w[0] == "server") && len(w) > 1:
			if err := v.parseSource(w); err != nil {
				return v, err
			}
		case line == "makestep 1 3" && !v.Makestep:
			v.Makestep = true
		case line == "rtcsync" && !v.Rtcsync:
			v.Rtcsync = true
		case line == "port 0" && v.Serve:
			v.Serve = false
		case w[0] == "bindaddress" && len(w) == 2:
			v.Bind = append(v.Bind, w[1])
		case w[0] == "allow" && len(w) == 2:
			v.Allow = append(v.Allow, w[1])
		default:
			return v, fmt.Errorf("a line that nobody wrote: %q", line)
		}
	}
	if v.MaxSources == 0 { // no pool says it
		v.MaxSources = share(v.Sources)
	}
	return v, nil
}

func (v *view) parseSource(w []string) error {
	s := Source{Kind: w[0], Address: w[1]}
	rest := w[2:]
	flag := func(word string) bool {
		if len(rest) > 0 && rest[0] == word {
			rest = rest[1:]
			return true
		}
		return false
	}
	number := func(word string) *int {
		if len(rest) < 2 || rest[0] != word {
			return nil
		}
		n, err := strconv.Atoi(rest[1])
		if err != nil {
			return nil
		}
		rest = rest[2:]
		return &n
	}
	s.Iburst, s.Prefer = flag("iburst"), flag("prefer")
	s.Minpoll, s.Maxpoll = number("minpoll"), number("maxpoll")
	most := number("maxsources")
	if len(rest) > 0 || (most != nil) != (s.Kind == "pool") {
		return fmt.Errorf("options that nobody wrote: %q", w)
	}
	if most != nil {
		v.MaxSources = *most
	}
	v.Sources = append(v.Sources, s)
	return nil
}

// fuzzedState is half of the time made of good values only, else with some bad ones among them.
func fuzzedState(r *rand.Rand) State {
	spoil := 0
	if r.IntN(2) == 0 {
		spoil = 1 + r.IntN(3)
	}
	pick := func(good func(*rand.Rand) string) string {
		if spoil > 0 && r.IntN(10) < spoil {
			return hostile(r, good(r))
		}
		return good(r)
	}
	s := State{Settings: Settings{
		ServeClients: r.IntN(3) > 0, Makestep: r.IntN(2) == 0, Rtcsync: r.IntN(2) == 0, ListenAddresses: []string{}, AllowACL: []string{},
	}}
	if r.IntN(2) == 0 {
		s.Settings.ListenAddresses = append(s.Settings.ListenAddresses, pick(randomIPv4))
	}
	if r.IntN(2) == 0 {
		s.Settings.ListenAddresses = append(s.Settings.ListenAddresses, pick(randomIPv6))
	}
	for range r.IntN(5) {
		s.Settings.AllowACL = append(s.Settings.AllowACL, pick(randomNetwork))
	}
	for range r.IntN(6) {
		src := Source{Kind: []string{"pool", "server"}[r.IntN(2)], Address: pick(randomHost), Iburst: r.IntN(2) == 0, Prefer: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			src.Minpoll = pointer(r.IntN(31) - 6)
		}
		if r.IntN(2) == 0 {
			src.Maxpoll = pointer(max(r.IntN(31)-6, defaultMinpoll))
			if src.Minpoll != nil {
				src.Maxpoll = pointer(max(*src.Maxpoll, *src.Minpoll))
			}
		}
		if spoil > 0 && r.IntN(20) < spoil {
			src.Kind, src.Minpoll, src.Maxpoll = hostile(r, src.Kind), pointer(r.IntN(200)-100), pointer(r.IntN(200)-100)
		}
		s.Sources = append(s.Sources, src)
	}
	return s
}

// hostile is a value that tries to be more than a value.
func hostile(r *rand.Rand, good string) string {
	line := canaries[r.IntN(len(canaries))]
	word := strings.Fields(line)[0]
	all := []string{
		good + "\n" + line, good + "\n" + line + "\n#", good + "\r\n" + line + "\n!", good + "\n\t" + line + "\n;", good + "\r" + line + "\r#", good + "\n" + line + "\n%", good + " key 1 port 22", good + "\t" + "noselect", good + "\nallow", good + "\n" + strings.ToUpper(line), "-" + good, " " + good, good + " ",
		word, word + " " + good, good + "\x00" + word, good + "\u2028" + word, "#" + good, "!" + good, good + ";" + word, "\"" + good + "\"", "'" + good + "'",
		good + "\\\n" + line, "", "all", "0/0", "10.1", "0x7f.1", good + "%eth0", strings.Repeat(good+".", 40), strings.Repeat("a ", 2000) + "\n" + line, good + "." + word,
		"$" + word, "`" + word + "`", "%" + good, good + "/33", "::ffff:" + good, "\v" + good, good + "\f" + word, good + "\u00a0" + word, "\ufeff" + good, good + "\x7f", "ünïcode." + good,
	}
	switch text := all[r.IntN(len(all)+12)%len(all)]; r.IntN(8) { // the first twelve twice as often
	case 0: // two of them at once
		return text + all[r.IntN(len(all))]
	case 1: // anything at all
		b := make([]byte, r.IntN(40))
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		return string(b)
	default:
		return text
	}
}
