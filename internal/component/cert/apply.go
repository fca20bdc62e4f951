package cert

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"gateway/internal/component"
	"gateway/internal/haproxy"
)

// apply makes HAProxy serve what is installed: one certificate after the other in the
// running process, which takes it a millisecond each, or by a reload where that cannot be
// or does not come out as it should.
func (p *part) apply(ctx context.Context, old, now component.Rendering) error {
	lines, err := parseList(now.File(ListPath))
	if err != nil {
		return fmt.Errorf("what was rendered is not laid out as it should be: %w", err)
	}
	steps, hot := plan(old, now, lines)
	if hot {
		err := p.carryOut(ctx, steps)
		if err == nil || ctx.Err() != nil {
			return err
		}
		p.Log.Warn("swap certificates", "err", err)
	}
	return p.HAProxy.Reload(ctx)
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
func plan(old, now component.Rendering, lines []line) (steps []step, hot bool) {
	was, err := parseList(old.File(ListPath))
	if err != nil {
		return nil, false
	}
	before, after := contents(old), contents(now)
	for _, l := range lines {
		i := indexLine(was, l.path)
		switch {
		case i < 0:
			steps = append(steps, step{l.path, after[l.path], l.names})
		case !slices.Equal(was[i].names, l.names):
			return nil, false
		case !bytes.Equal(before[l.path], after[l.path]):
			steps = append(steps, step{path: l.path, pem: after[l.path]})
		}
	}
	for _, l := range was {
		if indexLine(lines, l.path) < 0 {
			steps = append(steps, step{path: l.path})
		}
	}
	return steps, true
}

// carryOut takes the steps, and reads each back: HAProxy has the last word on what it serves.
func (p *part) carryOut(ctx context.Context, steps []step) error {
	runtime := p.HAProxy.Runtime
	for _, s := range steps {
		if err := carryOut(ctx, runtime, s); err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
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
	certs, err := parseChain(s.pem[:max(0, bytes.Index(s.pem, []byte("-----BEGIN PRIVATE KEY-----")))])
	if err != nil {
		return err
	}
	got, err := runtime.CertInfo(ctx, s.path)
	if err != nil {
		return err
	}
	if want := serial(certs[0]); !sameSerial(got.Serial, want) || got.Status != "Used" {
		return fmt.Errorf("HAProxy holds serial %s (%s), not %s", got.Serial, got.Status, want)
	}
	return nil
}

// sameSerial compares numbers: OpenSSL writes them in capitals, and some with a zero before.
func sameSerial(a, b string) bool {
	return strings.EqualFold(strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0"))
}
