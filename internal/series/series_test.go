package series

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func add(t *testing.T, s *Store, at time.Time, v float64) {
	t.Helper()
	if left, err := s.Add(at, map[string]float64{"a": v}); err != nil || left != 0 {
		t.Fatalf("add at %v: %d left, %v", at, left, err)
	}
}

func read(t *testing.T, dir string, now time.Time, q Query) Result {
	t.Helper()
	r, err := Read(dir, now, q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Each step of each file has the least, the mean and the greatest of what was added in it.
func TestWhatIsReadIsWhatWasAdded(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	end := noon.Add(2 * time.Hour)
	for at, i := noon, 0; at.Before(end); at, i = at.Add(Step), i+1 {
		add(t, s, at.Add(3*time.Second), float64(i))
	}
	now := end
	fine := read(t, dir, now, Query{Names: []string{"a", "none"}, From: noon, To: end, Points: 1000})
	if fine.Step != Step || len(fine.Series["a"]) != 721 || fine.Series["none"] != nil {
		t.Fatalf("step %v, %d points", fine.Step, len(fine.Series["a"]))
	}
	for i, p := range fine.Series["a"][:720] {
		if p.Avg != float32(i) || p.Min != p.Avg || p.Max != p.Avg {
			t.Fatalf("point %d is %+v", i, p)
		}
	}
	minutes := read(t, dir, now, Query{Names: []string{"a"}, From: noon, To: end.Add(-time.Minute), Points: 200})
	if minutes.Step != time.Minute {
		t.Fatalf("step %v, want a minute", minutes.Step)
	}
	for i, p := range minutes.Series["a"][:119] {
		if want := float32(6 * i); p.Min != want || p.Avg != want+2.5 || p.Max != want+5 {
			t.Fatalf("minute %d is %+v, want from %v", i, p, want)
		}
	}
	coarse := read(t, dir, now, Query{Names: []string{"a"}, From: noon, To: end.Add(-time.Minute), Points: 12})
	if coarse.Step != 10*time.Minute {
		t.Fatalf("step %v, want ten minutes", coarse.Step)
	}
	for i, p := range coarse.Series["a"][:11] {
		if want := float32(60 * i); p.Min != want || p.Avg != want+29.5 || p.Max != want+59 {
			t.Fatalf("ten minutes %d are %+v, want from %v", i, p, want)
		}
	}
	merged := read(t, dir, now, Query{Names: []string{"a"}, From: noon, To: end.Add(-time.Minute), Points: 4})
	if merged.Step != 30*time.Minute || merged.Series["a"][1].Min != 180 || merged.Series["a"][1].Max != 359 {
		t.Errorf("merged: step %v, %+v", merged.Step, merged.Series["a"])
	}
}

// A gap is a gap, and not zero.
func TestAGapStaysOne(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	add(t, s, noon, 1)
	add(t, s, noon.Add(time.Hour), 2)
	got := read(t, dir, noon.Add(time.Hour), Query{Names: []string{"a"}, From: noon, To: noon.Add(time.Hour), Points: 1000}).Series["a"]
	known := 0
	for _, p := range got {
		if p.Known() {
			known++
		}
	}
	if known != 2 || !got[0].Known() || !got[360].Known() {
		t.Errorf("%d points are known, want the first and the last", known)
	}
}

// The ring goes round: what is older than it is gone, also where its slot was not written again.
func TestTheRingForgetsWhatIsOlder(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	add(t, s, noon, 1)
	next := noon.Add(tiers[0].span() + Step)
	add(t, s, next, 2)
	got := read(t, dir, next, Query{Names: []string{"a"}, From: next.Add(-time.Hour), To: next, Points: 1000}).Series["a"]
	for i, p := range got {
		if p.Known() != (i == len(got)-1) {
			t.Errorf("point %d of %d is %+v", i, len(got), p)
		}
	}
}

// What a crash left half written is not shown, and all else is; the files keep their size.
func TestADamagedSlotIsLeftOut(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for i := range 10 {
		add(t, s, noon.Add(time.Duration(i)*Step), float64(i))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, tiers[0].name), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{1, 2, 3}, tiers[0].offset(noon.Add(4*Step))+100); err != nil {
		t.Fatal(err)
	}
	info, _ := f.Stat()
	if info.Size() != tiers[0].size() {
		t.Errorf("size %d, want %d", info.Size(), tiers[0].size())
	}
	_ = f.Close()
	s = open(t, dir) // and it goes on
	add(t, s, noon.Add(10*Step), 10)
	got := read(t, dir, noon.Add(10*Step), Query{Names: []string{"a"}, From: noon, To: noon.Add(10 * Step), Points: 100}).Series["a"]
	for i, p := range got {
		if p.Known() == (i == 4) {
			t.Errorf("point %d is %+v", i, p)
		}
	}
}

// After a start the coarser files get what the finer one has of the time before.
func TestCoarserStepsSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for i := range 3 {
		add(t, s, noon.Add(time.Duration(i)*Step), 4)
	}
	_ = s.Close()
	s = open(t, dir)
	add(t, s, noon.Add(61*time.Second), 8)
	got := read(t, dir, noon.Add(61*time.Second), Query{Names: []string{"a"}, From: noon, To: noon.Add(59 * time.Second), Points: 1})
	if got.Step != 10*time.Minute && got.Step != time.Minute {
		t.Fatalf("step %v", got.Step)
	}
	minute := tiers[1]
	f, err := minute.openToRead(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	found := false
	_ = minute.read(f, noon, noon, func(_ time.Time, slot []byte) { found = of(minute, slot, 0) == [3]float32{4, 4, 4} })
	if !found {
		t.Error("the minute before the restart is not there")
	}
}

// A series that is no longer written gives its place away when there is no other, and its values with it.
func TestPlacesAreReused(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	many := map[string]float64{}
	for i := range Columns {
		many[string(rune('a'+i%26))+string(rune('a'+i/26))] = 1
	}
	if left, err := s.Add(noon, many); left != 0 || err != nil {
		t.Fatalf("%d left (%v)", left, err)
	}
	if left, err := s.Add(noon.Add(Step), map[string]float64{"new": 7}); left != 1 || err != nil {
		t.Fatalf("%d left (%v), want 1", left, err)
	}
	later := noon.Add(forgets + time.Hour)
	delete(many, "aa")
	if _, err := s.Add(later, many); err != nil {
		t.Fatal(err)
	}
	if left, err := s.Add(later.Add(Step), map[string]float64{"new": 7}); left != 0 || err != nil {
		t.Fatalf("%d left (%v), want a place", left, err)
	}
	got := read(t, dir, later.Add(Step), Query{Names: []string{"new"}, From: noon, To: later.Add(Step), Points: 2000}).Series["new"]
	for i, p := range got[:len(got)-5] {
		if p.Known() {
			t.Fatalf("point %d of the new series is %+v, which was another's", i, p)
		}
	}
	if names, err := Names(dir); err != nil || len(names) != Columns || names["aa"] != (time.Time{}) {
		t.Errorf("%d names (%v)", len(names), err)
	}
	if !math.IsNaN(float64(None().Avg)) {
		t.Error("nothing is something")
	}
}
