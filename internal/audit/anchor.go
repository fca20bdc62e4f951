package audit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"slices"
	"time"

	"gateway/internal/db"
	"gateway/internal/secret/privatefile"
)

// AnchorFile is where gateway-apply keeps the ends of this node's chain, below its state
// folder, which only root can read: whoever rewrites the database cannot rewrite that too.
const AnchorFile = "audit-anchors.jsonl"

// anchorEvery bounds how often an anchor is written; entries are many at times.
const anchorEvery = 5 * time.Second

// Anchored is the end of a chain as somebody outside of the database saw it.
type Anchored struct {
	NodeID string    `json:"node"`
	Seq    int64     `json:"seq"`
	Hash   string    `json:"hash"`
	At     time.Time `json:"at"`
	// Days is for how long entries were kept then; none before the log had it.
	Days int `json:"days,omitempty"`
}

// Anchor appends to the file. The last line vouches for all entries before it, by the chain;
// the others tell when something was changed, and of those of days ago two of each day are enough (see thinned).
type Anchor struct {
	Path string
	Node string // machine id: another node's chain is that node's to anchor
	Log  *slog.Logger
	last Anchored
	told int64     // the end that was found behind the last anchor
	thin time.Time // when the file was last thinned out
}

// Run anchors what is new, each time that somebody wakes it and now and then by itself.
func (a *Anchor) Run(ctx context.Context, q db.DB, up func() bool, entries <-chan struct{}) error {
	for {
		if up() {
			if err := a.Keep(ctx, q); err != nil && ctx.Err() == nil {
				a.Log.Error("anchor the audit log", "err", err)
			}
		}
		select { // at the most so often
		case <-ctx.Done():
			return nil
		case <-time.After(anchorEvery):
		}
		select {
		case <-ctx.Done():
			return nil
		case <-entries:
		case <-time.After(time.Minute):
		}
	}
}

// Keep writes down where this node's chain ends, if that is new.
func (a *Anchor) Keep(ctx context.Context, q db.DB) error {
	if a.last.NodeID == "" {
		if err := a.recall(); err != nil {
			return err
		}
	}
	if err := a.thinOut(time.Now()); err != nil {
		return err
	}
	heads, err := Heads(ctx, q)
	if err != nil {
		return err
	}
	for _, h := range heads {
		if h.NodeID != a.Node || h.Seq == 0 {
			continue
		}
		if h.Seq < a.last.Seq && a.told != h.Seq {
			a.told = h.Seq
			a.Log.Error("the audit log ends before its anchor: entries were removed, or another database was put in its place",
				"entry", h.Seq, "anchored", a.last.Seq)
		}
		if h.Seq <= a.last.Seq {
			continue
		}
		if err := a.write(Anchored{h.NodeID, h.Seq, hex.EncodeToString(h.Hash), time.Now().UTC().Truncate(time.Second), h.KeptDays}); err != nil {
			return err
		}
	}
	return nil
}

// recall finds the anchor with the highest number.
func (a *Anchor) recall() error {
	all, err := ReadAnchors(a.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	a.last = Anchored{NodeID: a.Node}
	for _, one := range all {
		if one.NodeID == a.Node && one.Seq > a.last.Seq {
			a.last = one
		}
	}
	return nil
}

func (a *Anchor) write(one Anchored) (err error) {
	line, err := json.Marshal(one)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(a.Path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	whole, err := endsWithLine(f)
	if err != nil {
		return err
	}
	if !whole {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	a.last = one
	return nil
}

// endsWithLine is false behind a line that a power cut or a full disk left half: what is appended to that one could not be read.
func endsWithLine(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err == nil, err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil {
		return false, err
	}
	return last[0] == '\n', nil
}

// thinOut rewrites the file once a day with fewer old lines. It is replaced as a whole, so
// that a power cut leaves either.
func (a *Anchor) thinOut(now time.Time) error {
	if now.Sub(a.thin) < keptFor {
		return nil
	}
	all, err := ReadAnchors(a.Path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	kept := thinned(all, now)
	if err != nil || len(kept) == len(all) {
		a.thin = now
		return err
	}
	var lines []byte
	for _, one := range kept {
		line, err := json.Marshal(one)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	if err := privatefile.Replace(a.Path, lines, 0o600); err != nil {
		return err
	}
	a.thin = now
	return nil
}

// thinned keeps what is younger than two days, and of each node and day before the last line and the last one with the least
// retention: what was pruned under that was pruned rightly (see keptSince).
func thinned(all []Anchored, now time.Time) []Anchored {
	type day struct {
		node string
		day  int64
	}
	of := func(one Anchored) day { return day{one.NodeID, one.At.Unix() / int64(keptFor/time.Second)} }
	last, least := map[day]int{}, map[day]int{}
	for i, one := range all {
		d := of(one)
		last[d] = i
		if before, known := least[d]; !known || one.Days <= all[before].Days {
			least[d] = i
		}
	}
	var kept []Anchored
	for i, one := range all {
		if now.Sub(one.At) < 2*keptFor || last[of(one)] == i || least[of(one)] == i {
			kept = append(kept, one)
		}
	}
	return kept
}

// ReadAnchors reads the file. A line that a power cut left half is none.
func ReadAnchors(path string) ([]Anchored, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []Anchored
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var one Anchored
		if json.Unmarshal(lines.Bytes(), &one) == nil && one.Seq > 0 {
			all = append(all, one)
		}
	}
	return all, lines.Err()
}

// keptFor is how long no entry is pruned, whatever an anchor says of the retention.
const keptFor = 24 * time.Hour

// keptSince is for how long entries were kept at the least since each of the anchors. A day is for clocks that differ, as in
// gateway_audit_prune.
func keptSince(node string, anchors []Anchored) []time.Duration {
	all := make([]time.Duration, len(anchors))
	least := time.Duration(math.MaxInt64)
	for i, a := range slices.Backward(anchors) {
		if a.NodeID == node {
			least = min(least, max(keptFor, time.Duration(a.Days-1)*24*time.Hour))
		}
		all[i] = least
	}
	return all
}

// Report is what Compare found.
type Report struct {
	Entries  int64
	Breaks   []Break
	Anchors  int
	Unproven int64 // entries newer than the last anchor, which nothing outside vouches for yet
}

// Compare verifies every chain, and holds that of this node against its anchors.
func Compare(ctx context.Context, q db.DB, node string, anchors []Anchored) (r Report, err error) {
	if r.Entries, r.Breaks, err = Verify(ctx, q); err != nil {
		return r, err
	}
	heads, err := Heads(ctx, q)
	if err != nil {
		return r, err
	}
	own := Head{NodeID: node}
	for _, h := range heads {
		if h.NodeID == node {
			own = h
			continue
		}
		r.Breaks = append(r.Breaks, Break{h.NodeID, h.Seq, "", "this chain belongs to another node, and none has joined this one; " +
			"this is expected after a restore from another machine; otherwise its entries are forged"})
	}
	hashes, err := own.hashes(ctx, q, anchors)
	if err != nil {
		return r, err
	}
	var last int64
	kept := keptSince(node, anchors)
	for i, a := range anchors {
		if a.NodeID != node {
			continue
		}
		r.Anchors++
		last = max(last, a.Seq)
		if reason := own.against(hashes, a, kept[i]); reason != "" { // one is enough: those after it say the same
			r.Breaks = append(r.Breaks, Break{node, a.Seq, "", reason})
			break
		}
	}
	if r.Anchors > 0 && own.BaseSeq > last {
		r.Breaks = append(r.Breaks, Break{node, own.BaseSeq, "", "it counts as pruned but was never anchored: the log was emptied, or gateway-apply did not run for more than a day"})
	}
	r.Unproven = max(0, own.Seq-max(last, own.BaseSeq))
	return r, nil
}

// HoldsAny reports whether a database has an entry that one of the anchors names, or had it as the last one before what it pruned.
// One that was lost and begun anew has none, whatever its entries are numbered.
func HoldsAny(ctx context.Context, q db.DB, anchors []Anchored) (held bool, err error) {
	var nodes []string
	var seqs []int64
	var hashes [][]byte
	for _, a := range anchors {
		if hash, err := hex.DecodeString(a.Hash); err == nil {
			nodes, seqs, hashes = append(nodes, a.NodeID), append(seqs, a.Seq), append(hashes, hash)
		}
	}
	err = q.QueryRow(ctx, `with a as (select node_id, seq, hash from unnest($1::text[], $2::bigint[], $3::bytea[]) as a(node_id, seq, hash))
		select exists (select from a join audit_entries e on e.node_id = a.node_id and e.seq = a.seq and e.hash = a.hash)
			or exists (select from a join audit_heads h on h.node_id = a.node_id and h.base_seq = a.seq and h.base_hash = a.hash)`, nodes, seqs, hashes).Scan(&held)
	if err != nil {
		return false, fmt.Errorf("look for the anchored audit entries: %w", err)
	}
	return held, nil
}

// hashes reads the entries that the anchors name; before the first one the chain begins.
func (h Head) hashes(ctx context.Context, q db.DB, anchors []Anchored) (map[int64]string, error) {
	var named []int64
	for _, a := range anchors {
		if a.NodeID == h.NodeID {
			named = append(named, a.Seq)
		}
	}
	type entry struct {
		Seq  int64
		Hash []byte
	}
	found, err := db.List[entry](ctx, q, `select seq, hash from audit_entries where node_id = $1 and seq = any($2)`, h.NodeID, named)
	if err != nil {
		return nil, fmt.Errorf("read the anchored audit entries: %w", err)
	}
	all := map[int64]string{}
	for _, e := range found {
		all[e.Seq] = hex.EncodeToString(e.Hash)
	}
	all[h.BaseSeq] = hex.EncodeToString(h.BaseHash)
	return all, nil
}

// against says how the chain contradicts an anchor, if it does.
func (h Head) against(hashes map[int64]string, a Anchored, kept time.Duration) string {
	seen := a.At.Format(time.RFC3339)
	hash, found := hashes[a.Seq]
	switch {
	case a.Seq < h.BaseSeq && time.Since(a.At) < keptFor:
		return fmt.Sprintf("it was the last one at %s, and entries after it count as pruned: none of the last day ever is", seen)
	case a.Seq < h.BaseSeq && time.Since(a.At) < kept:
		return fmt.Sprintf("it was the last one at %s, and entries after it count as pruned: they are younger than those %d days that are kept", seen, int(kept/keptFor)+1)
	case a.Seq < h.BaseSeq:
		return "" // pruned since
	case a.Seq > h.Seq:
		return fmt.Sprintf("it existed at %s, and the log now ends at %d: the end was truncated, "+
			"or the database was restored from a backup or replaced", seen, h.Seq)
	case !found:
		return "the entry is missing, and existed at " + seen
	case hash != a.Hash:
		return "it is another entry than at " + seen + ": the log was rewritten, or the database was replaced"
	}
	return ""
}
