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
	"os"
	"time"

	"gateway/internal/db"
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
}

// Anchor appends to the file. It never removes a line.
type Anchor struct {
	Path string
	Node string // machine id: another node's chain is that node's to anchor
	Log  *slog.Logger
	last Anchored
	told int64 // the end that was found behind the last anchor
}

// Run anchors what is new, each time that somebody wakes it and now and then by itself.
func (a *Anchor) Run(ctx context.Context, q db.DB, up func() bool, news <-chan struct{}) error {
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
		case <-news:
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
		if err := a.write(Anchored{h.NodeID, h.Seq, hex.EncodeToString(h.Hash), time.Now().UTC().Truncate(time.Second)}); err != nil {
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
	f, err := os.OpenFile(a.Path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(append(line, '\n')); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	a.last = one
	return nil
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

// keptFor is how long no entry is pruned, whatever the retention says; see gateway_audit_prune.
const keptFor = 24 * time.Hour

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
		r.Breaks = append(r.Breaks, Break{h.NodeID, h.Seq, "", "this chain is of another node, and none has joined this one; " +
			"after a restore from another machine that is as it should be, otherwise its entries are forged"})
	}
	var last int64
	for _, a := range anchors {
		if a.NodeID != node {
			continue
		}
		r.Anchors++
		last = max(last, a.Seq)
		reason, err := own.against(ctx, q, a)
		if err != nil {
			return r, err
		}
		if reason != "" { // one is enough: those after it say the same
			r.Breaks = append(r.Breaks, Break{node, a.Seq, "", reason})
			break
		}
	}
	if r.Anchors > 0 && own.BaseSeq > last {
		r.Breaks = append(r.Breaks, Break{node, own.BaseSeq, "", "it counts as pruned and was never anchored: the log was emptied, or gateway-apply did not run for more than a day"})
	}
	r.Unproven = max(0, own.Seq-max(last, own.BaseSeq))
	return r, nil
}

// against says how the chain contradicts an anchor, if it does.
func (h Head) against(ctx context.Context, q db.DB, a Anchored) (string, error) {
	seen := a.At.Format(time.RFC3339)
	switch {
	case a.Seq < h.BaseSeq && time.Since(a.At) < keptFor:
		return fmt.Sprintf("it was the last one at %s, and entries after it count as pruned: none of the last day ever is", seen), nil
	case a.Seq < h.BaseSeq:
		return "", nil // pruned since
	case a.Seq > h.Seq:
		return fmt.Sprintf("it was there at %s, and the log now ends at %d: the end was cut off, "+
			"or the database was restored from a backup or replaced", seen, h.Seq), nil
	}
	hash := h.BaseHash
	if a.Seq > h.BaseSeq {
		found, err := db.List[struct{ Hash []byte }](ctx, q, `select hash from audit_entries where node_id = $1 and seq = $2`, h.NodeID, a.Seq)
		if err != nil {
			return "", fmt.Errorf("read audit entry %d: %w", a.Seq, err)
		}
		if len(found) == 0 {
			return "the entry is missing, and was there at " + seen, nil
		}
		hash = found[0].Hash
	}
	if hex.EncodeToString(hash) != a.Hash {
		return "it is another entry than at " + seen + ": the log was rewritten, or the database was replaced", nil
	}
	return "", nil
}
