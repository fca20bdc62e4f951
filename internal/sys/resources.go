package sys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"
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
	proc, err := procfs.NewFS(h.proc)
	if err != nil {
		return Resources{}, fmt.Errorf("open %s: %w", h.proc, err)
	}
	r := Resources{TakenAt: h.now().UTC()}
	for _, read := range []func() error{
		func() error { return r.readLoad(proc) },
		func() error { return r.readCPU(proc) },
		func() error { return r.readMemory(proc) },
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

func (r *Resources) readLoad(proc procfs.FS) error {
	load, err := proc.LoadAvg()
	if err != nil {
		return fmt.Errorf("read the load: %w", err)
	}
	r.Load1, r.Load5, r.Load15 = load.Load1, load.Load5, load.Load15
	return nil
}

func (r *Resources) readCPU(proc procfs.FS) error {
	stat, err := proc.Stat()
	if err != nil {
		return fmt.Errorf("read the processor times: %w", err)
	}
	// Guest time is left out: the kernel has already counted it as user time.
	t := stat.CPUTotal
	busy := t.User + t.Nice + t.System + t.IRQ + t.SoftIRQ + t.Steal
	r.CPU = CPU{BusySeconds: busy, TotalSeconds: busy + t.Idle + t.Iowait}
	r.NumCPUs = len(stat.CPU)
	return nil
}

func (r *Resources) readMemory(proc procfs.FS) error {
	m, err := proc.Meminfo()
	if err != nil {
		return fmt.Errorf("read the memory: %w", err)
	}
	r.Memory = Memory{
		Total:     orZero(m.MemTotalBytes),
		Available: orZero(m.MemAvailableBytes),
		Free:      orZero(m.MemFreeBytes),
		SwapTotal: orZero(m.SwapTotalBytes),
		SwapFree:  orZero(m.SwapFreeBytes),
	}
	// In a memory cgroup "available" can exceed "total"; used never wraps around.
	r.Memory.Used = r.Memory.Total - min(r.Memory.Available, r.Memory.Total)
	return nil
}

func orZero(n *uint64) uint64 {
	if n == nil {
		return 0
	}
	return *n
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
