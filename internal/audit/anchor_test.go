package audit

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"
)

func TestOldAnchorsAreThinnedOut(t *testing.T) {
	now := time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	a := &Anchor{Path: filepath.Join(t.TempDir(), AnchorFile), Node: "here", Log: slog.New(slog.DiscardHandler)}
	var seq int64
	for at := now.AddDate(0, 0, -10); at.Before(now); at = at.Add(time.Hour) {
		seq++
		if err := a.write(Anchored{NodeID: "here", Seq: seq, Hash: "aa", At: at}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := a.thinOut(now); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := ReadAnchors(a.Path)
	if err != nil {
		t.Fatal(err)
	}
	days := map[string]int{}
	for _, one := range kept {
		days[one.At.Format(time.DateOnly)]++
	}
	if days["2026-03-12"] != 1 || days["2026-03-19"] != 24 || len(days) != 11 {
		t.Errorf("kept are %v, want one of each old day and all of the last two", days)
	}
	if last := kept[len(kept)-1]; last.Seq != seq {
		t.Errorf("the last one is %d, want %d", last.Seq, seq)
	}
	if err := a.write(Anchored{NodeID: "here", Seq: seq + 1, Hash: "bb", At: now}); err != nil {
		t.Fatal(err)
	}
	if again, err := ReadAnchors(a.Path); err != nil || len(again) != len(kept)+1 {
		t.Errorf("%d anchors after one more, %v; want %d", len(again), err, len(kept)+1)
	}
}
