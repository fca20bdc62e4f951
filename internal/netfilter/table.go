package netfilter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gateway/internal/sys"
)

const (
	nftProgram = "/usr/sbin/nft"
	tableName  = "gateway" // of family inet
)

// Table is the product's table in the kernel: family inet, name gateway. No other table is
// ever touched.
type Table struct{ Run sys.Runner }

// Replace makes the table what the texts say, in one transaction: every packet meets all
// of the old rules or all of the new ones. Texts are nft commands, one a line, and add and
// flush what they name; what they do not name is removed behind them. A base chain is only
// emptied and made to accept, because between taking one down and hanging up another
// packets pass unseen. Counters that stay keep what they counted.
func (t Table) Replace(ctx context.Context, texts ...[]byte) error {
	have, err := t.inventory(ctx)
	if err != nil {
		return err
	}
	named := readNames(texts)
	gone := have.without(named)
	err = t.load(ctx, append(slices.Clone(texts), gone.removal())...)
	var exit *sys.ExitError
	if errors.As(err, &exit) && strings.Contains(exit.Stderr, "File exists") {
		// A set that had another type before cannot be added while the old one is there.
		sets := have.sets
		gone.sets = nil
		err = t.load(ctx, append(append([][]byte{have.unbound(), removeSets(sets)}, texts...), gone.removal())...)
	}
	if err != nil {
		return fmt.Errorf("replace the packet filter: %w", err)
	}
	return nil
}

// load runs commands as one transaction.
func (t Table) load(ctx context.Context, texts ...[]byte) error {
	_, err := t.Run(ctx, sys.Command{Path: nftProgram, Args: []string{"-f", "-"}, Stdin: bytes.Join(texts, []byte("\n"))})
	return err
}

// names are what texts add, by kind and name.
type names map[[2]string]bool

func readNames(texts [][]byte) names {
	n := names{}
	for _, text := range texts {
		for line := range bytes.Lines(text) {
			rest, ok := bytes.CutPrefix(line, []byte("add "))
			if !ok {
				continue
			}
			kind, rest, _ := bytes.Cut(rest, []byte(" inet "+tableName+" "))
			if i := bytes.IndexAny(rest, " {\n"); i >= 0 {
				rest = rest[:i]
			}
			switch string(kind) {
			case "chain", "set", "map", "counter":
				n[[2]string{string(kind), string(rest)}] = true
			}
		}
	}
	return n
}

// without is the part of the inventory that nobody names.
func (i inventory) without(n names) inventory {
	gone := inventory{chains: maps.Clone(i.chains), sets: maps.Clone(i.sets), counters: slices.Clone(i.counters)}
	maps.DeleteFunc(gone.chains, func(name string, _ bool) bool { return n[[2]string{"chain", name}] })
	maps.DeleteFunc(gone.sets, func(name string, s set) bool { return n[[2]string{s.kind(), name}] })
	gone.counters = slices.DeleteFunc(gone.counters, func(name string) bool { return n[[2]string{"counter", name}] })
	return gone
}

func (s set) kind() string {
	if s.isMap() {
		return "map"
	}
	return "set"
}

// unbound are the commands that empty all chains and maps, so that nothing refers to
// anything any more.
func (i inventory) unbound() []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(i.chains)) {
		fmt.Fprintf(&b, "flush chain inet %s %s\n", tableName, name)
	}
	for _, name := range slices.Sorted(maps.Keys(i.sets)) {
		if i.sets[name].isMap() {
			fmt.Fprintf(&b, "flush map inet %s %s\n", tableName, name)
		}
	}
	return b.Bytes()
}

// removal are the commands that take everything in the inventory out of the table, in an
// order in which nothing is removed that something else still refers to.
func (i inventory) removal() []byte {
	b := bytes.NewBuffer(i.unbound())
	for _, name := range slices.Sorted(maps.Keys(i.chains)) {
		if i.chains[name] {
			fmt.Fprintf(b, "add chain inet %s %s { policy accept; }\n", tableName, name)
		} else {
			fmt.Fprintf(b, "delete chain inet %s %s\n", tableName, name)
		}
	}
	b.Write(removeSets(i.sets))
	for _, name := range slices.Sorted(slices.Values(i.counters)) {
		fmt.Fprintf(b, "delete counter inet %s %s\n", tableName, name)
	}
	return b.Bytes()
}

func removeSets(sets map[string]set) []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		fmt.Fprintf(&b, "delete %s inet %s %s\n", sets[name].kind(), tableName, name)
	}
	return b.Bytes()
}
