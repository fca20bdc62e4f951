package haproxy_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/internal/haproxy"
)

// awkward are values that a command line could take for something else.
func awkward() map[string]string {
	return map[string]string{
		"plain": "v", "spaces": "a  b c", "semicolon": "a; b;c", "backslash": `a\b \\ c\`, "heredoc": "a << b", "heredoc-end": "a <<",
		"heredoc-alone": "<<", "heredoc-word": "<<EOF", "quotes": `it's "q" 100%`, "comment": "# x", "unicode": "bücher – ☃", "type": `x", type="str`,
		"value": `", value="y`, "long": strings.Repeat("0123456789abcdef", 512), "tail": `\`, "version": "@1", "amp": "a&b=c", "prompt": "> x",
	}
}

func TestMapTakesAwkwardValues(t *testing.T) {
	r := newRig(t, "there before\n")
	ctx := short(t)
	var added, changed, known []haproxy.MapChange
	for key, value := range awkward() {
		added = append(added, haproxy.MapChange{Key: key, Value: "old " + value})
		changed = append(changed, haproxy.MapChange{Key: key, Value: value})
		known = append(known, haproxy.MapChange{Key: "new." + key, Value: value, New: true}, haproxy.MapChange{Key: "@" + key, Value: value, New: true})
	}
	for what, changes := range map[string][]haproxy.MapChange{"added": added, "known to be new": known} {
		r.must(r.Runtime.MapSet(ctx, r.values, changes))
		for _, c := range changes {
			if got := r.lookup(c.Key); got != c.Value {
				t.Errorf("%s: %s = %.60q, want %.60q", what, c.Key, got, c.Value)
			}
		}
	}
	r.must(r.Runtime.MapSet(ctx, r.values, changed))
	for _, c := range changed {
		if got := r.lookup(c.Key); got != c.Value {
			t.Errorf("changed %s = %.60q, want %.60q", c.Key, got, c.Value)
		}
		if got := r.get(c.Key); len(c.Value) < 1000 && got != c.Value {
			t.Errorf("HAProxy serves %s as %q, want %q", c.Key, got, c.Value)
		}
	}
}

func TestMapIsReadBackWhole(t *testing.T) {
	r := newRig(t, "there before\n")
	ctx := short(t)
	want := []haproxy.MapEntry{}
	for key, value := range awkward() {
		want = append(want, haproxy.MapEntry{Key: key, Value: value})
	}
	r.must(r.Runtime.MapReplace(ctx, r.values, want))
	got, err := r.Runtime.MapAll(ctx, r.values)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("MapAll = %.500q, %v, want %.500q", got, err, want)
	}
	r.must(r.Runtime.MapReplace(ctx, r.values, nil))
	if got, err := r.Runtime.MapAll(ctx, r.values); err != nil || len(got) != 0 {
		t.Errorf("an emptied map = %q, %v", got, err)
	}
}

func TestMapRemovesAndForgivesWhatIsGone(t *testing.T) {
	r := newRig(t, "a 1\nb 2\n")
	ctx := short(t)
	change := []haproxy.MapChange{{Key: "a", Remove: true}, {Key: "nobody", Remove: true}, {Key: "b", Value: "3"}, {Key: "c", Value: "4"}}
	for range 2 {
		r.must(r.Runtime.MapSet(ctx, r.values, change))
		got, err := r.Runtime.MapAll(ctx, r.values)
		if want := []haproxy.MapEntry{{Key: "b", Value: "3"}, {Key: "c", Value: "4"}}; err != nil || !slices.Equal(got, want) {
			t.Errorf("MapAll = %v, %v, want %v", got, err, want)
		}
	}
	if got, err := r.Runtime.MapGet(ctx, r.values, "c", "a"); !slices.Equal(got, []string{"4", ""}) || err != nil {
		t.Errorf("a key and a removed one = %q, %v", got, err)
	}
}

func TestMapOfTenThousand(t *testing.T) {
	r := newRig(t, "there before\n")
	ctx := short(t)
	var entries []haproxy.MapEntry
	var changes []haproxy.MapChange
	for i := range 10_000 {
		e := haproxy.MapEntry{Key: fmt.Sprintf("host-%d.customer.example.com", i), Value: fmt.Sprintf("gateway_backend_%036d", i)}
		entries = append(entries, e)
		changes = append(changes, haproxy.MapChange{Key: e.Key, Value: "moved"})
	}
	began := time.Now()
	r.must(r.Runtime.MapReplace(ctx, r.values, entries))
	t.Logf("replaced in %v", time.Since(began))
	got, err := r.Runtime.MapAll(ctx, r.values)
	if err != nil || !slices.Equal(got, entries) {
		t.Fatalf("MapAll = %d entries, %v, want %d", len(got), err, len(entries))
	}
	began = time.Now()
	r.must(r.Runtime.MapSet(ctx, r.values, changes))
	t.Logf("changed one by one in %v", time.Since(began))
	if got := r.get(entries[9_999].Key); got != "moved" {
		t.Errorf("the last one = %q, want moved", got)
	}
}

func TestMapKeyIsNeverMissing(t *testing.T) {
	r := newRig(t, "a 0\n")
	ctx := short(t)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			value := fmt.Sprint(i)
			if i%2 == 0 {
				r.must(r.Runtime.MapReplace(ctx, r.values, []haproxy.MapEntry{{Key: "b", Value: value}, {Key: "a", Value: value}}))
				continue
			}
			r.must(r.Runtime.MapSet(ctx, r.values, []haproxy.MapChange{{Key: "a", Value: value}}))
		}
	})
	for range 500 {
		if got := r.get("a"); got == "absent" {
			t.Error("the key was missing for a moment")
			break
		}
	}
	close(stop)
	wg.Wait()
}

// HAProxy takes ten connections at a time; the others wait their turn.
func TestManyAskAtOnce(t *testing.T) {
	r := newRig(t, "a 0\n")
	ctx := short(t)
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			if got, err := r.Runtime.MapGet(ctx, r.values, "a"); err != nil || got[0] != "0" {
				t.Errorf("MapGet = %q, %v, want 0", got, err)
			}
		})
	}
	wg.Wait()
}

func TestMapRefuses(t *testing.T) {
	r := newRig(t, "a 0\n")
	ctx := short(t)
	for _, tc := range []struct {
		name       string
		key, value string
	}{
		{"a value of two lines", "k", "a\nb"},
		{"a value that a file would lose", "k", " a"},
		{"an empty value", "k", ""},
		{"an empty key", "", "v"},
		{"a key of two words", "a b", "v"},
		{"a key that is a reference", "#0x1", "v"},
		{"a key with a line break", "a\rb", "v"},
		{"a value longer than HAProxy's buffer", "k", strings.Repeat("x", 20_000)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			one := r.Runtime.MapSet(ctx, r.values, []haproxy.MapChange{{Key: tc.key, Value: tc.value}})
			all := r.Runtime.MapReplace(ctx, r.values, []haproxy.MapEntry{{Key: "other", Value: "x"}, {Key: tc.key, Value: tc.value}})
			if one == nil || all == nil {
				t.Errorf("MapSet = %v, MapReplace = %v, want errors", one, all)
			}
		})
	}
	if got := r.get("a"); got != "0" {
		t.Errorf("after refusals a = %q, want 0", got)
	}
	var refusal *haproxy.Refusal
	if _, err := r.Runtime.MapAll(ctx, r.Path("nomap")); !errors.As(err, &refusal) || !strings.HasPrefix(refusal.Answer, "Unknown map") {
		t.Errorf("an unknown map = %v, want a refusal", err)
	}
	if err := r.Runtime.MapSet(ctx, r.Path("nomap"), []haproxy.MapChange{{Key: "a", Value: "b"}}); !errors.As(err, &refusal) {
		t.Errorf("a change of an unknown map = %v, want a refusal", err)
	}
}

func TestNobodyListens(t *testing.T) {
	ctx := short(t)
	if _, err := (haproxy.Runtime{Path: t.TempDir() + "/none"}).MapGet(ctx, "f", "k"); !errors.Is(err, haproxy.ErrDown) {
		t.Errorf("a runtime without a socket = %v, want ErrDown", err)
	}
	if err := (haproxy.Master{Path: t.TempDir() + "/none"}).Reload(ctx); !errors.Is(err, haproxy.ErrDown) {
		t.Errorf("a master without a socket = %v, want ErrDown", err)
	}
}
