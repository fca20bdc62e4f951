package haproxyconf

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway/internal/component/componenttest"
	"gateway/internal/daemon"
)

// fuzzed is what a campaign came to.
type fuzzed struct {
	cases, objects, refused int
	leftOut                 int // values past the API that were not rendered
	brokeOut, unnoticed     int // of the control
}

func (f fuzzed) String() string {
	return fmt.Sprintf("%d configurations, %d objects, %d refused, 0 bad; past the API %d values were left out; without escaping %d configurations broke out, and HAProxy would have taken %d of those",
		f.cases, f.objects, f.refused, f.leftOut, f.brokeOut, f.unnoticed)
}

// fuzz sends configurations full of hostile values through the API and holds what was taken
// against four things: HAProxy takes the files, the files say what the rows say, no value
// became a directive, and nothing was left out. Then it renders the same values past the
// API, of which the first and the third must hold as well.
func fuzz(t *testing.T, n int) fuzzed {
	t.Helper()
	seed := componenttest.FuzzSeed(t)
	g := generator{rand.New(rand.NewPCG(seed, seed))}
	r := newStore(t)
	f := fuzzed{cases: n}
	for i := range n {
		if t.Failed() {
			t.Fatalf("seed %d, before configuration %d", seed, i)
		}
		m := g.model()
		r.clear()
		s, objects, refused := r.stored(m)
		f.objects, f.refused = f.objects+objects, f.refused+refused
		out := render(s)
		if len(out.Problems) > 0 {
			t.Errorf("taken, but left out: %+v", out.Problems)
		}
		held(t, out)
		judged(t, r.adapter, out)
		saysWhat(t, s, out)
		raw := render(m.raw())
		held(t, raw)
		f.leftOut += len(raw.Problems)
		if i%4 != 0 {
			continue // a look by HAProxy takes a while, and these three look alike to it
		}
		judged(t, r.adapter, raw)
		if plain := g.unescaped(out); foreign(string(plain.File(Path))) != "" {
			f.brokeOut++
			if staged(t, r.adapter, plain) == nil {
				f.unnoticed++
			}
		}
	}
	t.Logf("seed %d", seed)
	if f.refused == 0 || f.refused == f.objects || f.leftOut == 0 || f.unnoticed == 0 {
		t.Errorf("this shows nothing: %v", f)
	}
	return f
}

// held is what must be true of any rows, however they came.
func held(t *testing.T, out daemon.Rendering) {
	t.Helper()
	if line := foreign(string(out.File(Path))); line != "" {
		t.Errorf("the configuration has %q", line)
	}
	for _, f := range out.Files {
		if f.Path == Path {
			continue
		}
		seen := map[string]bool{}
		for _, e := range parseMap(f.Data) {
			if seen[e.Key] || e.Key == "" || e.Value == "" || strings.ContainsAny(e.Key+e.Value, "\r\n\x00") || strings.HasPrefix(e.Key, "#") {
				t.Errorf("%s has %+v, or has it twice", f.Path, e)
			}
			seen[e.Key] = true
		}
	}
}

func judged(t *testing.T, a *adapter, out daemon.Rendering) {
	t.Helper()
	if err := staged(t, a, out); err != nil {
		t.Errorf("HAProxy does not take it: %v", err)
	}
}

// unescaped adds a hostile value to good files as it is: the control.
func (g generator) unescaped(good daemon.Rendering) daemon.Rendering {
	value, text := g.pick(corpus...), string(good.File(Path))
	switch g.IntN(3) {
	case 0:
		text += "\nbackend gateway_backend_" + id(1) + "\n\tbalance roundrobin\n\tserver x 192.0.2.1" + value + "\n"
	case 1:
		text += "\nbackend gateway_backend_" + id(1) + "\n\tbalance roundrobin\n\tserver " + value + " 192.0.2.1:80\n"
	default:
		text = strings.Replace(text, "\tdefault_backend gateway_unknown\n", "\thttp-response set-header X-Note "+value+"\n\tdefault_backend gateway_unknown\n", 1)
	}
	out := daemon.Rendering{}
	for _, f := range good.Files {
		if f.Path == Path {
			f.Data = []byte(text)
		}
		out.Files = append(out.Files, f)
	}
	return out
}

// clear forgets all rows.
func (r *rig) clear() {
	r.T.Helper()
	r.Tx(func(tx pgx.Tx) error {
		var b pgx.Batch
		for _, table := range []string{"proxy_ports", "proxy_rules", "proxy_domains", "proxy_backends"} {
			b.Queue(`delete from ` + table)
		}
		return tx.SendBatch(r.T.Context(), &b).Close()
	})
}
