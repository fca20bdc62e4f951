package pemfiles

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/haproxy"
)

// apply makes HAProxy serve what is installed: one certificate after the other in the
// running process, which takes it a millisecond each, or by a reload where that cannot be
// or does not come out as it should.
func (a *adapter) apply(ctx context.Context, old, now daemon.Rendering) error {
	steps, hot, err := plan(old, now)
	if err != nil {
		return fmt.Errorf("the rendered files are malformed: %w", err)
	}
	if hot {
		err := a.HAProxy.Tell(ctx, func() error { return a.carryOut(ctx, steps) })
		if err == nil || ctx.Err() != nil {
			return err
		}
		a.Log.Warn("swap certificates", "err", err)
	}
	return a.HAProxy.Reload(ctx)
}

// step is one certificate that HAProxy has to hold, or to hold no more.
type step struct {
	path  string
	pem   []byte   // nil: it goes
	names []string // set: it is new to the list
}

// plan is what is between two renderings. It cannot be done hot when nobody knows what
// HAProxy runs on, or when an entry of the list gets other names: HAProxy would have to
// take it out first, and clients would see the fallback meanwhile.
func plan(old, now daemon.Rendering) (steps []step, hot bool, err error) {
	if len(old.Files) == 0 {
		_, err := parseList(now.File(ListPath))
		return nil, false, err
	}
	before := contents(old)
	var was, is map[string][]string
	if !bytes.Equal(before[ListPath], now.File(ListPath)) { // a renewal need not read it
		if was, err = listed(before[ListPath]); err != nil {
			return nil, false, nil
		}
		if is, err = listed(now.File(ListPath)); err != nil {
			return nil, false, err
		}
	}
	for _, f := range now.Files {
		names, known := was[f.Path]
		switch {
		case f.Path == ListPath:
		case is != nil && !known:
			steps = append(steps, step{f.Path, f.Data, is[f.Path]})
		case !slices.Equal(names, is[f.Path]):
			return nil, false, nil
		case !bytes.Equal(before[f.Path], f.Data):
			steps = append(steps, step{path: f.Path, pem: f.Data})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(was)) {
		if is[path] == nil {
			steps = append(steps, step{path: path})
		}
	}
	return steps, true, nil
}

// listed are the names of each certificate in a list.
func listed(list []byte) (map[string][]string, error) {
	lines, err := parseList(list)
	out := make(map[string][]string, len(lines))
	for _, l := range lines {
		out[l.path] = l.names
	}
	return out, err
}

// carryOut takes the steps, and reads each back: HAProxy has the last word on what it serves.
func (a *adapter) carryOut(ctx context.Context, steps []step) error {
	runtime := a.HAProxy.Runtime
	for _, s := range steps {
		if err := carryOut(ctx, runtime, s); err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
		a.HAProxy.Told()
	}
	return nil
}

func carryOut(ctx context.Context, runtime haproxy.Runtime, s step) error {
	switch {
	case s.pem == nil:
		return runtime.CertRemove(ctx, ListPath, s.path)
	case s.names != nil:
		if err := runtime.CertAdd(ctx, ListPath, s.path, s.pem, s.names); err != nil {
			return err
		}
	default:
		if err := runtime.CertSet(ctx, s.path, s.pem); err != nil {
			return err
		}
	}
	return readBack(ctx, runtime, s)
}

func readBack(ctx context.Context, runtime haproxy.Runtime, s step) error {
	certs, err := ParseChain(s.pem[:certLength(s.pem)])
	if err != nil {
		return err
	}
	got, err := runtime.CertInfo(ctx, s.path)
	if err != nil {
		return err
	}
	if want := Serial(certs[0]); !SameSerial(got.Serial, want) || got.Status != "Used" {
		return fmt.Errorf("HAProxy holds serial %s (%s), not %s", got.Serial, got.Status, want)
	}
	return nil
}

// certLength is where the key begins in a file of ours.
func certLength(text []byte) int {
	return max(0, bytes.Index(text, []byte("-----BEGIN PRIVATE KEY-----")))
}

// SameSerial compares numbers: OpenSSL writes them in capitals, and some with a zero before.
func SameSerial(a, b string) bool {
	return strings.EqualFold(strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0"))
}
