package sys

import (
	"context"
	"errors"
	"os"
	"testing"
)

func TestTableLoadedInTheKernel(t *testing.T) {
	if _, err := os.Stat("/usr/sbin/nft"); err != nil {
		t.Skip("nft is not installed")
	}
	inNetworkNamespace(t)
	n := NewNft(Run)
	assertLoaded(t, n, "inet", "gateway", false)
	res, err := Run(t.Context(), Command{
		Path: "/usr/sbin/nft", Args: []string{"-f", "-"},
		Stdin: []byte("table inet gateway {}\ntable ip other {}\n"),
	})
	if err != nil {
		t.Fatalf("load the table: %v %s", err, res.Stderr)
	}
	assertLoaded(t, n, "inet", "gateway", true)
	assertLoaded(t, n, "ip", "gateway", false)
	assertLoaded(t, n, "inet", "gate", false)
}

func assertLoaded(t *testing.T, n *Nft, family, name string, want bool) {
	t.Helper()
	got, err := n.TableLoaded(t.Context(), family, name)
	if err != nil || got != want {
		t.Errorf("TableLoaded(%s %s) = %t, %v, want %t", family, name, got, err, want)
	}
}

func TestTableLoadedTellsUnknownFromAbsent(t *testing.T) {
	refused := errors.New("Operation not permitted")
	for _, tc := range []struct {
		name string
		run  Runner
	}{
		{"nft fails", func(context.Context, Command) (Result, error) { return Result{}, refused }},
		{"nft prints no JSON", func(context.Context, Command) (Result, error) {
			return Result{Stdout: []byte("table inet gateway")}, nil
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := NewNft(tc.run).TableLoaded(t.Context(), "inet", "gateway"); err == nil {
				t.Error("no error")
			}
		})
	}
}
