package audit

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
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

// What a power cut or a full disk left half must not take the next one along.
func TestAnAnchorBehindAHalfLineIsRead(t *testing.T) {
	a := &Anchor{Path: filepath.Join(t.TempDir(), AnchorFile), Node: "here", Log: slog.New(slog.DiscardHandler)}
	if err := a.write(Anchored{NodeID: "here", Seq: 1, Hash: "aa", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(a.Path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(`{"node":"here","seq":2,"ha`)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	again := &Anchor{Path: a.Path, Node: a.Node, Log: a.Log}
	for seq := int64(2); seq <= 3; seq++ {
		if err := again.write(Anchored{NodeID: "here", Seq: seq, Hash: "bb", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := ReadAnchors(a.Path)
	if err != nil || len(all) != 3 || all[1].Seq != 2 {
		t.Errorf("read %+v, %v; want 1, 2 and 3", all, err)
	}
}

// A retention that was lowered for hours only had entries pruned, which nobody may be blamed for later.
func TestThinnedAnchorsKnowTheLeastRetentionOfADay(t *testing.T) {
	now := time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	day := now.AddDate(0, 0, -10).Truncate(keptFor)
	var all []Anchored
	for i, days := range []int{365, 365, 90, 90, 365, 365} {
		all = append(all, Anchored{NodeID: "here", Seq: int64(i + 1), At: day.Add(time.Duration(i) * time.Hour), Days: days})
	}
	all = append(all, Anchored{NodeID: "there", Seq: 1, At: day, Days: 30})
	var kept []int64
	for _, one := range thinned(all[:6], now) {
		kept = append(kept, one.Seq)
	}
	if want := []int64{4, 6}; !slices.Equal(kept, want) {
		t.Errorf("kept are %v, want the last one with the least and the last one: %v", kept, want)
	}
	if got, want := keptSince("here", thinned(all, now))[0], keptSince("here", all)[0]; got != want {
		t.Errorf("thinned they say that entries are kept for %s, all of them %s", got, want)
	}
}
