package sys

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Resources is how much of the machine is in use at one moment. Sizes are in bytes.
type Resources struct {
	Load1         float64    `json:"load1" doc:"Load average of the last minute"`
	Load5         float64    `json:"load5" doc:"Load average of the last 5 minutes"`
	Load15        float64    `json:"load15" doc:"Load average of the last 15 minutes"`
	NumCPUs       int        `json:"num_cpus" doc:"Number of CPUs"`
	Memory        Memory     `json:"memory" doc:"Memory and swap in bytes"`
	Disk          Disk       `json:"disk" doc:"Root file system in bytes"`
	Conntrack     *Conntrack `json:"conntrack,omitempty" doc:"Omitted while the kernel does not track connections"`
	UptimeSeconds uint64     `json:"uptime_seconds" doc:"Seconds since boot"`
	CPU           CPU        `json:"cpu" doc:"CPU time since boot; compute the load from two samples"`
	TakenAt       time.Time  `json:"taken_at" doc:"When these figures were read"`
}

// Memory in bytes. Used is what cannot be had back: total less available.
type Memory struct {
	Total     uint64 `json:"total" doc:"Physical memory"`
	Available uint64 `json:"available" doc:"Available without swapping"`
	Used      uint64 `json:"used" doc:"In use: total less available"`
	Free      uint64 `json:"free" doc:"Not used for anything, not even caches"`
	SwapTotal uint64 `json:"swap_total" doc:"Swap space"`
	SwapFree  uint64 `json:"swap_free" doc:"Unused swap space"`
}

// Disk is the root filesystem in bytes. Free is what an unprivileged process may still
// write, so used and free together fall short of total by root's reserve, as in df.
type Disk struct {
	Total uint64 `json:"total" doc:"Size"`
	Used  uint64 `json:"used" doc:"In use"`
	Free  uint64 `json:"free" doc:"Available to programs that are not root"`
}

// Conntrack is the fill of the connection tracking table.
type Conntrack struct {
	Count uint64 `json:"count" doc:"Connections tracked now"`
	Max   uint64 `json:"max" doc:"Most connections the kernel tracks"`
}

// CPU counts since boot over all processors; a chart divides the differences of two
// readings.
type CPU struct {
	BusySeconds  float64 `json:"busy_seconds" doc:"CPU seconds spent working, all CPUs together"`
	TotalSeconds float64 `json:"total_seconds" doc:"CPU seconds elapsed, all CPUs together"`
}

// Resources takes one reading.
func (h *Host) Resources() (Resources, error) {
	r := Resources{TakenAt: h.now().UTC()}
	for _, read := range []func() error{
		func() error { return r.readLoad(h.proc) },
		func() error { return r.readCPU(h.proc) },
		func() error { return r.readMemory(h.proc) },
		func() error { return r.readDisk("/") },
		func() error { return r.readConntrack(h.proc) },
		func() error { return r.readUptime(h.proc) },
	} {
		if err := read(); err != nil {
			return Resources{}, err
		}
	}
	return r, nil
}

func (r *Resources) readLoad(proc string) error {
	text, err := os.ReadFile(filepath.Join(proc, "loadavg"))
	if err == nil {
		_, err = fmt.Sscan(string(text), &r.Load1, &r.Load5, &r.Load15)
	}
	if err != nil {
		return fmt.Errorf("read the load: %w", err)
	}
	return nil
}

// ticksPerSecond is the unit of processor times in /proc, on every machine.
const ticksPerSecond = 100

// readCPU reads lines of "cpu" for all processors and "cpu0", "cpu1" for each.
func (r *Resources) readCPU(proc string) error {
	text, err := os.ReadFile(filepath.Join(proc, "stat"))
	if err != nil {
		return fmt.Errorf("read the processor times: %w", err)
	}
	sum, others, _ := strings.Cut(string(text), "\n")
	var name string
	var user, nice, system, idle, iowait, irq, softIRQ, steal float64
	// Guest time is left out: the kernel has already counted it as user time.
	if _, err := fmt.Sscan(sum, &name, &user, &nice, &system, &idle, &iowait, &irq, &softIRQ, &steal); err != nil || name != "cpu" {
		return fmt.Errorf("read the processor times: %q: %w", sum, cmp.Or(err, errors.ErrUnsupported))
	}
	busy := user + nice + system + irq + softIRQ + steal
	r.CPU = CPU{BusySeconds: busy / ticksPerSecond, TotalSeconds: (busy + idle + iowait) / ticksPerSecond}
	for line := range strings.Lines(others) {
		if strings.HasPrefix(line, "cpu") {
			r.NumCPUs++
		}
	}
	return nil
}

// readMemory reads lines as "MemTotal:  4000000 kB". What the kernel does not tell is 0.
func (r *Resources) readMemory(proc string) error {
	text, err := os.ReadFile(filepath.Join(proc, "meminfo"))
	if err != nil {
		return fmt.Errorf("read the memory: %w", err)
	}
	m := &r.Memory
	of := map[string]*uint64{"MemTotal": &m.Total, "MemAvailable": &m.Available, "MemFree": &m.Free, "SwapTotal": &m.SwapTotal, "SwapFree": &m.SwapFree}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		into := of[name]
		if into == nil {
			continue
		}
		kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return fmt.Errorf("read the memory: %w", err)
		}
		*into = kib << 10
	}
	if m.Total == 0 {
		return fmt.Errorf("read the memory: %s does not tell its size", filepath.Join(proc, "meminfo"))
	}
	// In a memory cgroup "available" can exceed "total"; used never wraps around.
	m.Used = m.Total - min(m.Available, m.Total)
	return nil
}

func (r *Resources) readDisk(path string) (err error) {
	r.Disk, err = fillOf(path)
	return err
}

func fillOf(path string) (Disk, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return Disk{}, fmt.Errorf("read the fill of %s: %w", path, err)
	}
	size := uint64(s.Frsize)
	return Disk{Total: s.Blocks * size, Used: (s.Blocks - s.Bfree) * size, Free: s.Bavail * size}, nil
}

// Mounted is a file system, named by the first of the folders asked for that is on it.
type Mounted struct {
	Path   string
	Device uint64
	Disk
}

// Disks are the file systems that these folders are on, each once. Folders that are not
// there are left out.
func (h *Host) Disks(folders ...string) ([]Mounted, error) {
	seen := map[uint64]bool{}
	var out []Mounted
	var failed error // one that cannot be read hides no other
	for _, path := range folders {
		var info unix.Stat_t
		err := unix.Stat(path, &info)
		if errors.Is(err, fs.ErrNotExist) || err == nil && seen[info.Dev] {
			continue
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("look at %s: %w", path, err))
			continue
		}
		seen[info.Dev] = true
		fill, err := fillOf(path)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		out = append(out, Mounted{path, info.Dev, fill})
	}
	return out, failed
}

// readConntrack leaves nil where the kernel has no connection tracking (yet): it comes
// with the first rule that needs it.
func (r *Resources) readConntrack(proc string) error {
	dir := filepath.Join(proc, "sys/net/netfilter")
	count, err := readNumber(filepath.Join(dir, "nf_conntrack_count"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the connection count: %w", err)
	}
	limit, err := readNumber(filepath.Join(dir, "nf_conntrack_max"))
	if err != nil {
		return fmt.Errorf("read the connection limit: %w", err)
	}
	r.Conntrack = &Conntrack{Count: count, Max: limit}
	return nil
}

func readNumber(path string) (uint64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64)
}

func (r *Resources) readUptime(proc string) error {
	data, err := os.ReadFile(filepath.Join(proc, "uptime"))
	if err != nil {
		return fmt.Errorf("read the uptime: %w", err)
	}
	word, _, _ := strings.Cut(string(data), " ")
	seconds, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return fmt.Errorf("read the uptime: %w", err)
	}
	r.UptimeSeconds = uint64(seconds)
	return nil
}
