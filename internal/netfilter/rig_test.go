package netfilter

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"testing"

	"gateway/internal/sys"
	"gateway/lab"
)

// rig is a network of its own, with the product's table and Debian 13's nft to fill it.
type rig struct {
	*lab.Space
	t     testing.TB
	table Table
}

func newRig(t testing.TB) *rig {
	t.Helper()
	return rigIn(t, lab.NewSpace(t))
}

func rigIn(t testing.TB, s *lab.Space) *rig {
	t.Helper()
	argv := lab.InRoot(t, "", nftProgram)
	program, err := exec.LookPath(argv[0])
	if err != nil {
		t.Fatal(err)
	}
	run := func(ctx context.Context, c sys.Command) (sys.Result, error) {
		if c.Path != nftProgram {
			return sys.Result{}, errors.New("only nft may be run, not " + c.Path)
		}
		c.Path, c.Args = program, slices.Concat(argv[1:], c.Args)
		return sys.Run(ctx, c)
	}
	return &rig{Space: s, t: t, table: Table{Run: run}}
}

// must does something in the network, which has to succeed.
func (r *rig) must(do func() error) {
	r.t.Helper()
	if err := r.Do(do); err != nil {
		r.t.Fatal(err)
	}
}

// nft runs nft as an operator would, and answers what it prints.
func (r *rig) nft(input string, args ...string) string {
	r.t.Helper()
	var out sys.Result
	r.must(func() (err error) {
		out, err = r.table.Run(r.t.Context(), sys.Command{
			Path: nftProgram, Args: args, Stdin: []byte(input), MaxOutput: 64 << 20,
		})
		return err
	})
	return string(out.Stdout)
}

func (r *rig) replace(texts ...string) {
	r.t.Helper()
	var parts [][]byte
	for _, text := range texts {
		parts = append(parts, []byte(text))
	}
	r.must(func() error { return r.table.Replace(r.t.Context(), parts...) })
}

func (r *rig) change(batch string) {
	r.t.Helper()
	r.must(func() error { return r.table.Change(r.t.Context(), []byte(batch)) })
}

func (r *rig) counters() map[string]Count {
	r.t.Helper()
	var counts map[string]Count
	r.must(func() (err error) {
		counts, err = r.table.Counters()
		return err
	})
	return counts
}
