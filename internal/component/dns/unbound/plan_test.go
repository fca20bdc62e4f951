package unbound

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gateway/internal/daemon"
)

// list makes lines for numbered names, by owner.
func list(rnd *rand.Rand, names int) []string {
	var out []string
	for n := range names {
		for range rnd.IntN(3) {
			out = append(out, fmt.Sprintf("\tlocal-data: \"n%05d.example.com. 60 IN A 192.0.2.%d\"", n, rnd.IntN(3)))
		}
	}
	return out
}

// What is left away at both ends does not change what differs.
func TestWhatIsNotCommonHoldsAllDifferences(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	text := func(l []string) []byte { return []byte(strings.Join(append(l, ""), "\n")) }
	for range 20_000 {
		was := list(rnd, rnd.IntN(8))
		is := slices.Clone(was)
		for range rnd.IntN(3) {
			if other := list(rnd, rnd.IntN(8)); rnd.IntN(2) == 0 && len(is) > 0 {
				is = slices.Delete(is, 0, rnd.IntN(len(is)+1))
			} else {
				is = append(is, other...)
			}
		}
		slices.SortStableFunc(is, func(a, b string) int { return strings.Compare(a[:28], b[:28]) })
		got, ok := steps(text(was), text(is))
		if want := plainSteps(was, is); !ok || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q\n%q\nsteps %+v, %t, want %+v", was, is, got, ok, want)
		}
	}
}

// plainSteps is the same, the slow way.
func plainSteps(was, is []string) []step {
	byOwner := map[string]*step{}
	var owners []string
	at := func(line string) *step {
		o, _ := lineOwner(line)
		if byOwner[o] == nil {
			byOwner[o] = &step{owner: o}
			owners = append(owners, o)
		}
		return byOwner[o]
	}
	for _, l := range was {
		at(l).was = append(at(l).was, l)
	}
	for _, l := range is {
		at(l).is = append(at(l).is, l)
	}
	slices.Sort(owners)
	var out []step
	for _, o := range owners {
		if s := byOwner[o]; !slices.Equal(s.was, s.is) {
			out = append(out, *s)
		}
	}
	return out
}

func TestStepsThatNeedNoCheck(t *testing.T) {
	const head = "server:\n\tprefetch: yes\n" + zonesBelow + "\tlocal-zone: \"a.\" transparent\n" + recordsBelow
	one, two := "\tlocal-data: \"a. 60 IN A 192.0.2.1\"\n", "\tlocal-data: \"b.a. 60 IN A 192.0.2.1\"\n"
	for _, tc := range []struct {
		name     string
		old, now string
		want     bool
	}{
		{"nothing", head + one, head + one, true},
		{"a record more", head + one, head + one + two, true},
		{"a record less", head + one + two, head + two, true},
		{"the hash of an installed file", head + one + "# gw-sha256 12\n", head + two, true},
		{"a setting", head + one, strings.Replace(head, "yes", "no", 1) + one, false},
		{"a zone", head + one, strings.Replace(head, "\"a.\"", "\"b.\"", 1) + one, false},
		{"a line that is no record", head + one, head + "\taccess-control: 0.0.0.0/0 allow\n" + one, false},
		{"a record with something behind it", head + one, head + "\tlocal-data: \"a. 60 IN A 192.0.2.1\" access-control: 0.0.0.0/0 allow\n", false},
		{"a record that is none", head + one, head + "\tlocal-data: \"a. 60 IN A x\"\n", false},
		{"lines out of order", head + one, head + two + strings.Replace(one, "2.1", "2.2", 1), false},
		{"no file before", "", head + one, false},
		{"no file now", head + one, "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := plain(rendering(tc.old), rendering(tc.now)); got != tc.want {
				t.Errorf("plain = %t", got)
			}
		})
	}
	if plain(daemon.Rendering{}, rendering(head+one)) {
		t.Error("a first rendering is not checked")
	}
}
