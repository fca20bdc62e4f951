package system

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"gateway/internal/api"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

const (
	versionsFresh = time.Minute
	// versionsLong is for what apt said while nothing that it reads is another: settings somewhere below /etc may be.
	versionsLong = time.Hour
	versionsTime = time.Minute
	// versionsTimeout is how long somebody waits for apt. It reads all lists, which takes a second of the processor.
	versionsTimeout = 2 * time.Second
)

// versions remembers what apt said: it starts a program, which must not be had for the
// asking, neither often nor many at a time.
type versions struct {
	from    packages
	names   []string
	now     func() time.Time
	log     *slog.Logger
	timeout time.Duration

	flight singleflight.Group
	mu     sync.Mutex
	at     time.Time
	asked  time.Time // by latest
	known  []sys.PackageVersion
	stamp  string // of what was read for it
}

// packageNames are the product and what its services come with. WireGuard is in the kernel
// and has no service.
func packageNames(services []daemon.Service) []string {
	names := []string{"gateway", "wireguard-tools"}
	for _, s := range services {
		if s.Package != "" && !slices.Contains(names, s.Package) {
			names = append(names, s.Package)
		}
	}
	return names
}

// PackageVersions is the list of packages.
type PackageVersions struct {
	Packages []sys.PackageVersion `json:"packages" doc:"The gateway package and those of its daemons"`
	TakenAt  time.Time            `json:"taken_at" doc:"When the package lists were read"`
}

func (h *handlers) packageVersions(ctx context.Context, _ *struct{}) (*api.Body[PackageVersions], error) {
	v, err := h.versions.get(ctx)
	if err != nil {
		return nil, err
	}
	return api.OK(v), nil
}

func (v *versions) get(ctx context.Context) (PackageVersions, error) {
	if got, ok := v.cached(); ok {
		return got, nil
	}
	answer := v.flight.DoChan("", func() (any, error) {
		if got, ok := v.cached(); ok {
			return got, nil // a flight ended just before this one began
		}
		return v.read(context.WithoutCancel(ctx)) // others wait for it too
	})
	late := time.NewTimer(v.timeout)
	defer late.Stop()
	select {
	case <-ctx.Done():
		return PackageVersions{}, ctx.Err()
	case <-late.C:
		return v.meanwhile()
	case r := <-answer:
		got, _ := r.Val.(PackageVersions)
		return got, r.Err
	}
}

// meanwhile is what is installed now, beside what apt said before.
func (v *versions) meanwhile() (PackageVersions, error) {
	now, err := v.from.Installed(v.names)
	if err != nil {
		return PackageVersions{}, errors.Join(unavailable(), err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, p := range v.known {
		now[i].Available = p.Available
		now[i].Upgradable = now[i].Installed != "" && sys.CompareVersions(p.Available, now[i].Installed) > 0
	}
	if v.known == nil {
		return PackageVersions{now, v.now().UTC()}, nil
	}
	return PackageVersions{now, v.at}, nil
}

func unavailable() error {
	return fault.New(fault.Unavailable, "apt did not report the package versions; see this node's log for details").WithCode("apt_unavailable")
}

// versionsOld is when what apt said is asked for again though nobody waits for it.
const versionsOld = 5 * time.Minute

// latest is what apt said last, and has it asked again when that is long ago.
func (v *versions) latest(ctx context.Context) []sys.PackageVersion {
	v.mu.Lock()
	defer v.mu.Unlock()
	if age := v.now().Sub(later(v.at, v.asked)); age < 0 || age >= versionsOld {
		v.asked = v.now()
		go func() { _, _ = v.get(context.WithoutCancel(ctx)) }() // a failure is told to whoever asks for the list
	}
	return v.known
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (v *versions) cached() (PackageVersions, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	age := v.now().Sub(v.at)
	// A clock set back must not keep the answer for hours.
	fresh := v.known != nil && age >= 0 && (age < versionsFresh || age < versionsLong && v.from.Stamp() == v.stamp)
	return PackageVersions{v.known, v.at}, fresh
}

func (v *versions) read(ctx context.Context) (PackageVersions, error) {
	ctx, cancel := context.WithTimeout(ctx, versionsTime)
	defer cancel()
	stamp := v.from.Stamp() // before it is read: what changes meanwhile is read again
	known, err := v.from.Packages(ctx, v.names)
	if err != nil {
		v.log.Warn("ask apt for the package versions", "err", err) // there may be nobody who waits for it any more
		return PackageVersions{}, errors.Join(unavailable(), err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.known, v.at, v.stamp = known, v.now().UTC(), stamp
	return PackageVersions{v.known, v.at}, nil
}
