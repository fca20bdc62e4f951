package series_test

import (
	"bufio"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/series"
	"gateway/internal/sys"
	"gateway/tools/bar"
)

var now = time.Date(2026, 11, 17, 12, 34, 50, 0, time.UTC)

const many = 100

// A year of samples is generated; then ranges are read, a day is written, and who writes is killed.
func TestBarOperations10Graphs(t *testing.T) {
	if os.Getenv("GATEWAY_SERIES_WRITER") != "" {
		writeUntilKilled(t)
		return
	}
	dir := t.TempDir()
	if err := series.Generated(dir, now, many); err != nil {
		t.Fatal(err)
	}
	slowest, wrong := readRanges(t, dir)
	written := writeAnHour(t, dir) * 24
	grown := folderSize(t, dir) - series.Size() - namesSize(t, dir)
	kills, broken := killWriters(t, bar.GateSize(5, 20, 200))
	cpu := sampleCPU(t, dir)
	right := wrong == 0 && written <= 30<<20 && grown == 0 && broken == 0
	bar.ReportTimed(t, "operations", 10, fmt.Sprintf("a year of %d series: slowest range of 5 series %d ms, %d values wrong; %.1f MB written a day; files grew by %d bytes; %d of %d kills lost more than the last sample; a sample takes %.3f %% of a core",
		many, slowest.Milliseconds(), wrong, float64(written)/1e6, grown, broken, kills, 100*cpu),
		"<=100 ms, 0 wrong, <=30 MB a day, same size, whole after kill -9, <=1 % of a core",
		right, slowest <= 100*time.Millisecond && cpu <= 0.01)
}

// readRanges reads each range five times and takes the median; each value has to be the generated one.
func readRanges(t *testing.T, dir string) (slowest time.Duration, wrong int) {
	t.Helper()
	for _, span := range []time.Duration{time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour, 364 * 24 * time.Hour} {
		q := series.Query{From: now.Add(-span), To: now, Points: 600}
		for i := range 5 {
			q.Names = append(q.Names, series.GeneratedName(i*17))
		}
		var took []time.Duration
		for range 5 {
			begun := time.Now()
			r, err := series.Read(dir, now, q)
			if err != nil {
				t.Fatal(err)
			}
			took = append(took, time.Since(begun))
			wrong += differ(t, r)
		}
		slices.Sort(took)
		t.Logf("%v: median %v of %v", span, took[2], took)
		slowest = max(slowest, took[2])
	}
	return slowest, wrong
}

// differ counts the points that are not what was generated, and those that are missing.
func differ(t *testing.T, r series.Result) (wrong int) {
	t.Helper()
	for i := range 5 {
		points := r.Series[series.GeneratedName(i*17)]
		for j, p := range points {
			at := r.From.Add(time.Duration(j) * r.Step)
			if at.Before(now.Add(-364 * 24 * time.Hour)) {
				continue
			}
			// Over a step the value moves by its share of the day, and once a day it starts again.
			least, most := float32(i*17)-1, float32(i*17)+2
			exact := r.Step == series.Step
			if !p.Known() || p.Min < least || p.Max > most || exact && p.Avg != series.GeneratedValue(i*17, at) {
				wrong++
				t.Logf("%v: %+v", at, p)
			}
		}
	}
	return wrong
}

// writeAnHour counts the bytes that the kernel has to bring to the disk for an hour of samples.
func writeAnHour(t *testing.T, dir string) int64 {
	t.Helper()
	s, err := series.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := writtenBytes(t)
	for i := 1; i <= 360; i++ {
		if _, err := s.Add(now.Add(time.Duration(i)*series.Step), samples(float64(i))); err != nil {
			t.Fatal(err)
		}
	}
	return writtenBytes(t) - before
}

func samples(v float64) map[string]float64 {
	out := map[string]float64{}
	for i := range many {
		out[series.GeneratedName(i)] = v
	}
	return out
}

func writtenBytes(t *testing.T) int64 {
	t.Helper()
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(data), "\n") {
		if rest, ok := strings.CutPrefix(line, "write_bytes: "); ok {
			n, _ := strconv.ParseInt(rest, 10, 64)
			return n
		}
	}
	t.Fatal("the kernel does not count what is written")
	return 0
}

func folderSize(t *testing.T, dir string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if info, infoErr := e.Info(); err == nil && infoErr == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func namesSize(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, "names.json"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// killWriters kills a process that adds samples as fast as it can, and reads what it said it had added.
func killWriters(t *testing.T, n int) (kills, broken int) {
	t.Helper()
	for range n {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0], "-test.run=^TestBarOperations10Graphs$")
		cmd.Env = append(os.Environ(), "GATEWAY_SERIES_WRITER="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(100*time.Millisecond+rand.N(300*time.Millisecond), func() { _ = cmd.Process.Kill() })
		last := -1
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if i, err := strconv.Atoi(lines.Text()); err == nil {
				last = i
			}
		}
		_ = cmd.Wait()
		kills++
		if !whole(t, dir, last) {
			broken++
		}
	}
	return kills, broken
}

// whole reads every sample that was added, and goes on adding.
func whole(t *testing.T, dir string, last int) bool {
	t.Helper()
	if last < 0 {
		t.Error("the process was killed before it had added anything")
		return false
	}
	end := now.Add(time.Duration(last) * series.Step)
	r, err := series.Read(dir, end, series.Query{Names: []string{series.GeneratedName(7)}, From: now, To: end, Points: 10_000})
	if err != nil {
		t.Error(err)
		return false
	}
	points := r.Series[series.GeneratedName(7)]
	for i := range last + 1 {
		if at := i + int(now.Sub(r.From)/series.Step); at >= len(points) || points[at].Avg != float32(i) {
			t.Errorf("sample %d of %d is missing or wrong", i, last)
			return false
		}
	}
	s, err := series.Open(dir)
	if err != nil {
		t.Error(err)
		return false
	}
	defer s.Close()
	_, err = s.Add(end.Add(series.Step), samples(1))
	return err == nil
}

func writeUntilKilled(t *testing.T) {
	s, err := series.Open(os.Getenv("GATEWAY_SERIES_WRITER"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8000 {
		if _, err := s.Add(now.Add(time.Duration(i)*series.Step), samples(float64(i))); err != nil {
			t.Fatal(err)
		}
		fmt.Println(i)
	}
	<-time.After(time.Minute)
}

// sampleCPU is the share of a core that one look at the kernel every ten seconds takes, with what keeps it.
func sampleCPU(t *testing.T, dir string) float64 {
	t.Helper()
	s, err := series.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	host := sys.NewHost(time.Now)
	const rounds = 60
	before := cpuTime(t)
	for i := range rounds {
		if _, err := host.Resources(); err != nil {
			t.Fatal(err)
		}
		if _, err := host.Interfaces(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Add(now.Add(2*time.Hour+time.Duration(i)*series.Step), samples(1)); err != nil {
			t.Fatal(err)
		}
	}
	return (cpuTime(t) - before).Seconds() / rounds / series.Step.Seconds()
}

func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
