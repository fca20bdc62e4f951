package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/lab/journaltest"
	"gateway/tools/bar"
)

// archive is a node with a large journal.
type archive struct {
	*appliance
	c       *caller
	sources []logSource
	begin   time.Time // of the generated entries
	entries int
	bytes   int64
}

type logSource struct{ Name, Unit string }

const (
	archiveUnits = 30
	archiveSpan  = 14 * 24 * time.Hour
	// oldWord is in the oldest entry alone.
	oldWord = "antediluvian"
)

// A journal of gigabytes is read as fast as by journalctl, and the access log loses no line.
func TestBarOperations09Logs(t *testing.T) {
	a, c := alone(t)
	x := &archive{appliance: a, c: c, begin: time.Now().Add(-archiveSpan - time.Hour), entries: bar.GateSize(60_000, 300_000, 7_200_000)}
	x.generate()
	worst, pages := x.pages()
	bare, ours := x.follow(bar.GateSize(6, 15, 15))
	s := x.search()
	many := bar.GateSize(15, 40, 40)
	grown := x.memory(many)
	lost, lines, rate := x.accessLog(bar.GateSize(6_000, 50_000, 50_000))
	control := x.accessLogWithLimit()
	figure := fmt.Sprintf("%d MB, %d entries of %d units: pages at most %.2f times bare journalctl (%s); followed after %d ms, bare %d ms; a text that is nowhere: all searched in %d steps, %.1f s, the oldest entry found %t, %d journalctl left after a cancel; %+d MiB after %d large pages; access log %d of %d lines lost at %d/s, control with a rate limit %d",
		x.bytes/1e6, x.entries, archiveUnits, worst, pages, ours.Milliseconds(), bare.Milliseconds(), s.steps, s.took.Seconds(), s.found, s.left, grown>>20, many, lost, lines, rate, control)
	right := s.complete && s.found && s.left == 0 && grown <= 32<<20 && lost == 0 && control > 0 && !t.Failed()
	bar.ReportTimed(t, "operations", 9, figure, "<=1.1 times, followed <=1.2 times, searched to the end and the oldest found, cancel ends it, <=+32 MiB, 0 lost at 3,000/s, control > 0",
		right, worst <= 1.1 && float64(ours) <= 1.2*float64(bare) && rate >= 2_900)
}

// generate puts files of two weeks beside those of the node's own journal.
func (x *archive) generate() {
	x.t.Helper()
	x.c.get("/logs/sources").want(200).decode(&x.sources)
	x.sources = slices.DeleteFunc(x.sources, func(s logSource) bool { return s.Unit == "" || s.Name == "access-log" })
	var units []string
	for _, s := range x.sources {
		if !slices.Contains(units, s.Unit) {
			units = append(units, s.Unit)
		}
	}
	for i := len(units); i < archiveUnits; i++ {
		units = append(units, fmt.Sprintf("other%d.service", i))
	}
	machine := strings.TrimSpace(x.run("cat", "/etc/machine-id"))
	// journald would remove what is beyond a tenth of the disk.
	x.sh("mkdir -p /etc/systemd/journald.conf.d && printf '[Journal]\\nSystemMaxUse=20G\\nSystemKeepFree=1M\\n' >/etc/systemd/journald.conf.d/archive.conf && systemctl restart systemd-journald")
	dir, err := x.node.HostPath("/var/log/journal/" + machine)
	x.lab.Must(err)
	const perFile = 60_000
	random := rand.New(rand.NewPCG(9, 9))
	for from := 0; from < x.entries; from += perFile {
		part := make([]journaltest.Entry, min(perFile, x.entries-from))
		for i := range part {
			part[i] = x.entry(random, from+i, units, machine)
		}
		path := filepath.Join(dir, fmt.Sprintf("system@%032x-%016x-0006000000000000.journal", 9, from+1))
		x.lab.Must(journaltest.Write(path, [16]byte{9}, uint64(from+1), part))
		info, err := os.Stat(path)
		x.lab.Must(err)
		x.bytes += info.Size()
	}
	x.sh("chgrp systemd-journal /var/log/journal/" + machine + "/system@*")
}

// entry has about the fields that one of a service has.
func (x *archive) entry(random *rand.Rand, i int, units []string, machine string) journaltest.Entry {
	at := x.begin.Add(archiveSpan / time.Duration(x.entries) * time.Duration(i))
	n := random.IntN(len(units))
	priority, word := 6, "answered"
	if random.IntN(5) == 0 {
		priority, word = 4, "refused"
	}
	if i == 0 { // of a unit that is among the sources
		n, word = 0, oldWord
	}
	name := strings.TrimSuffix(units[n], ".service")
	return journaltest.Entry{At: at, Fields: []string{
		fmt.Sprintf("MESSAGE=client 192.0.2.%d asked for page %d with 1%07d bytes, which was %s after %d microseconds", i%250, random.IntN(1e6), random.IntN(1e7), word, random.IntN(1e6)),
		"PRIORITY=" + strconv.Itoa(priority), "SYSLOG_IDENTIFIER=" + name, "SYSLOG_FACILITY=3", "_PID=" + strconv.Itoa(1000+n), "_UID=" + strconv.Itoa(100+n), "_GID=" + strconv.Itoa(100+n),
		"_COMM=" + name, "_EXE=/usr/sbin/" + name, "_CMDLINE=/usr/sbin/" + name + " --foreground", "_CAP_EFFECTIVE=0", "_SYSTEMD_CGROUP=/system.slice/" + units[n],
		"_SYSTEMD_UNIT=" + units[n], "_SYSTEMD_SLICE=system.slice", "_BOOT_ID=09000000000000000000000000000000", "_MACHINE_ID=" + machine, "_HOSTNAME=gw1", "_TRANSPORT=stdout",
	}}
}

// pages compares pages of the API with the same questions to journalctl on the node, in turns.
func (x *archive) pages() (worst float64, told string) {
	x.t.Helper()
	unit := x.sources[0]
	middle := x.begin.Add(archiveSpan / 2)
	all, names := []string{}, []string{}
	for _, s := range x.sources {
		all, names = append(all, "--unit="+s.Unit), append(names, s.Name)
	}
	var each []string
	for _, q := range []struct {
		what string
		api  url.Values
		bare []string
	}{
		{"a unit", url.Values{"sources": {unit.Name}}, []string{"--unit=" + unit.Unit}},
		{"with a level", url.Values{"sources": {unit.Name}, "level": {"warn"}}, []string{"--unit=" + unit.Unit, "--priority=4"}},
		{"before a week", url.Values{"sources": {unit.Name}, "until": {middle.UTC().Format(time.RFC3339)}}, []string{"--unit=" + unit.Unit, fmt.Sprintf("--until=@%d", middle.Unix())}},
		{"all units", url.Values{"sources": {strings.Join(names, ",")}}, all},
	} {
		var bare, ours []time.Duration
		x.c.logs(q.api)
		for range bar.GateSize(2, 3, 3) {
			bare = append(bare, x.bare(5, q.bare)...)
			for range 5 {
				began := time.Now()
				page := x.c.logs(q.api)
				ours = append(ours, time.Since(began))
				if len(page.Entries) != 200 {
					x.t.Errorf("%s: %d entries, want 200", q.what, len(page.Entries))
				}
			}
		}
		ratio := float64(middleOf(ours)) / float64(middleOf(bare))
		each = append(each, fmt.Sprintf("%s %.1f : %.1f ms", q.what, float64(middleOf(ours).Microseconds())/1e3, float64(middleOf(bare).Microseconds())/1e3))
		worst = max(worst, ratio)
	}
	return worst, strings.Join(each, ", ")
}

func middleOf(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// bare runs the query of a page on the node, and takes the time there.
func (x *archive) bare(times int, filters []string) (took []time.Duration) {
	x.t.Helper()
	query := "journalctl --no-pager --quiet --utc --output=json --output-fields=MESSAGE,PRIORITY,SYSLOG_IDENTIFIER,_PID,_SYSTEMD_UNIT,UNIT " +
		strings.Join(filters, " ") + " --reverse --lines=201"
	out := x.run("bash", "-c", fmt.Sprintf(`for i in $(seq %d); do s=${EPOCHREALTIME/[.,]/}; %s >/dev/null; echo $((${EPOCHREALTIME/[.,]/} - s)); done`, times, query))
	for _, text := range strings.Fields(out) {
		n, err := strconv.Atoi(text)
		x.lab.Must(err)
		took = append(took, time.Duration(n)*time.Microsecond)
	}
	return took
}

// follow compares how late lines come by the stream and by journalctl on the node.
func (x *archive) follow(probes int) (bare, ours time.Duration) {
	x.t.Helper()
	live := x.c.socket("/logs/live?sources=api&q=probe", nil)
	x.sh(`systemd-run --quiet --expand-environment=no --unit=bare-follow bash -c 'journalctl --follow --lines=0 -o cat --unit=gateway-api.service | while read -r l; do echo "${EPOCHREALTIME/[.,]/} $l"; done >/run/bare-follow'`)
	x.eventually(patience, "both follow", func() bool { return x.sh("pgrep -c journalctl || true") == "2" })
	<-time.After(time.Second) // each looks for the end of the journal first
	var heard []time.Duration
	var done sync.WaitGroup
	done.Go(func() {
		ctx, cancel := context.WithTimeout(x.t.Context(), patience)
		defer cancel()
		for len(heard) < probes {
			_, data, err := live.Read(ctx)
			var e journalEntry
			if err != nil || json.Unmarshal(data, &e) != nil {
				x.t.Errorf("after %d lines the stream said %s (%v)", len(heard), data, err)
				return
			}
			if at, ok := strings.CutPrefix(e.Message, "probe "); ok {
				heard = append(heard, time.Since(momentOf(at)))
			}
		}
	})
	for range probes {
		// As root one may write of another process: so it is in the log of its unit.
		x.run("bash", "-c", `printf 'MESSAGE=probe %s\nOBJECT_PID=%s\n' "${EPOCHREALTIME/[.,]/}" "$(systemctl show --property MainPID --value gateway-api)" | logger --journald`)
		<-time.After(300 * time.Millisecond)
	}
	done.Wait()
	var there []time.Duration
	x.eventually(patience, "journalctl has followed too", func() bool {
		there = nil
		for line := range strings.Lines(x.sh("cat /run/bare-follow")) {
			if f := strings.Fields(line); len(f) == 3 && f[1] == "probe" {
				there = append(there, momentOf(f[0]).Sub(momentOf(f[2])))
			}
		}
		return len(there) == probes
	})
	x.sh("systemctl stop bare-follow")
	_ = live.CloseNow()
	if len(heard) != probes {
		return time.Hour, 2 * time.Hour
	}
	return middleOf(there), middleOf(heard)
}

// momentOf reads microseconds since 1970.
func momentOf(text string) time.Time {
	n, _ := strconv.ParseInt(text, 10, 64) // 1970 where it is none
	return time.UnixMicro(n)
}

type searched struct {
	steps           int
	took            time.Duration
	complete, found bool
	left            int
}

// search looks for a text that is nowhere, until the beginning; for one that the oldest entry has; and breaks one off.
func (x *archive) search() (s searched) {
	x.t.Helper()
	began := time.Now()
	query := url.Values{"q": {"nobody wrote this"}}
	for before := time.Now(); !s.complete && s.steps < 100; s.steps++ {
		page := x.c.logs(query)
		if len(page.Entries) != 0 {
			x.t.Errorf("found %+v", page.Entries[0])
		}
		if s.complete = page.Next == ""; s.complete {
			continue
		}
		if page.SearchedSince == nil || !page.SearchedSince.Before(before) {
			x.t.Fatalf("after %v the search is at %v", before, page.SearchedSince)
		}
		before = *page.SearchedSince
		query.Set("cursor", page.Next)
	}
	s.took = time.Since(began)
	query = url.Values{"q": {oldWord}}
	for range 100 {
		page := x.c.logs(query)
		if len(page.Entries) > 0 {
			s.found = page.Entries[0].At.Sub(x.begin).Abs() < time.Second
		}
		if query.Set("cursor", page.Next); page.Next == "" {
			break
		}
	}
	x.breakOff()
	s.left = -1
	x.eventually(patience, "nothing searches for who has left", func() bool {
		s.left, _ = strconv.Atoi(strings.TrimSpace(x.sh("pgrep -c journalctl || true")))
		return s.left == 0
	})
	return s
}

// breakOff begins searches and leaves.
func (x *archive) breakOff() {
	x.t.Helper()
	for _, after := range []time.Duration{5, 20, 50, 100} {
		ctx, cancel := context.WithTimeout(x.t.Context(), after*time.Millisecond)
		req, err := http.NewRequestWithContext(ctx, "GET", x.c.base+apiPrefix+"/logs?q=nobody+wrote+this+either", nil)
		x.lab.Must(err)
		_, err = x.c.send(req)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			x.t.Errorf("a search of %d ms: %v", after, err)
		}
	}
}

// memory is what the API has more after so many of the largest pages; the first ones make room.
func (x *archive) memory(many int) int64 {
	x.t.Helper()
	rss := func() int64 {
		text := x.sh("awk '/^VmRSS:/ {print $2}' /proc/" + x.mainPID("gateway-api.service") + "/status")
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		x.lab.Must(err)
		return n << 10
	}
	read := func(times int) {
		query := url.Values{"limit": {"1000"}}
		for range times {
			page := x.c.logs(query)
			query.Set("cursor", page.Next)
		}
	}
	read(10)
	before := rss()
	read(many)
	return rss() - before
}

func (x *archive) accessLog(n int) (lost, lines, rate int) {
	x.t.Helper()
	x.shed(x.c, "shed.example.com")
	rate = x.ask("shed.example.com", "line", n)
	return n - x.logged("line"), n, rate
}

// accessLogWithLimit is the control: with journald's rate limit, lines are missing.
func (x *archive) accessLogWithLimit() (lost int) {
	x.t.Helper()
	x.sh(`d=/etc/systemd/journald@gateway-access.conf.d; mkdir -p $d && printf '[Journal]\nRateLimitIntervalSec=30s\nRateLimitBurst=50\n' >$d/limit.conf && systemctl restart systemd-journald@gateway-access`)
	const n = 1_000
	x.ask("shed.example.com", "control", n)
	return n - x.logged("control")
}
