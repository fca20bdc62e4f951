package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Space is what a journal takes on the disk.
type Space struct {
	Used int64
	Most int64 // what journald removes old files above
	Days int64 // after which journald removes entries; 0 where no setting says it in days
}

// Where journald keeps its files: on the disk, or in memory where there is no such folder.
var folders = []struct{ path, setting string }{{"/var/log/journal", "SystemMaxUse"}, {"/run/log/journal", "RuntimeMaxUse"}}

// mostByDefault is what journald takes where nobody said otherwise: a tenth of the file system, and 4 GiB.
const mostByDefault = 4 << 30

// SpaceOf looks at the journal of a namespace, or at the main one where that is empty, below a
// root: "/" but for tests.
func SpaceOf(root, namespace string) (Space, error) {
	for _, f := range folders {
		dir := filepath.Join(root, f.path)
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		used, err := sizeOf(dir, namespace)
		if err != nil {
			return Space{}, err
		}
		settings, err := configured(root, namespace)
		if err != nil {
			return Space{}, err
		}
		s := Space{Used: used, Most: parseSize(settings[f.setting]), Days: parseDays(settings["MaxRetentionSec"])}
		if s.Most == 0 {
			s.Most, err = byDefault(dir)
		}
		return s, err
	}
	return Space{}, fmt.Errorf("look at the journal: %w", fs.ErrNotExist)
}

// sizeOf is what files take; one that is gone meanwhile takes nothing. A namespace has a folder
// "<machine id>.<namespace>" beside that of the main journal.
func sizeOf(dir, namespace string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && path != dir {
			if _, of, _ := strings.Cut(e.Name(), "."); of != namespace {
				return fs.SkipDir
			}
		}
		if err == nil && e.Type().IsRegular() {
			if info, gone := e.Info(); gone == nil {
				n += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("look at the journal: %w", err)
	}
	return n, nil
}

func byDefault(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("look at the journal: %w", err)
	}
	return min(mostByDefault, int64(s.Blocks)*s.Bsize/10), nil
}

// configured is what journald's files say.
func configured(root, namespace string) (map[string]string, error) {
	settings := map[string]string{}
	for _, path := range configFiles(root, namespace) {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a link to a file that is yet to be made, which journald leaves out too
		}
		if err != nil {
			return nil, fmt.Errorf("read the settings of the journal: %w", err)
		}
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(line, "=")
			settings[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return settings, nil
}

// configFiles are in the order in which journald reads them: the last one has the last word. A file
// hides those of its name in the folders after it. A namespace has files of its own, and none
// of the main journal's.
func configFiles(root, namespace string) (out []string) {
	file := "journald.conf"
	if namespace != "" {
		file = "journald@" + namespace + ".conf"
	}
	dirs := []string{"/etc/systemd", "/run/systemd", "/usr/local/lib/systemd", "/usr/lib/systemd"}
	for _, dir := range dirs {
		if path := filepath.Join(root, dir, file); exists(path) {
			out = append(out, path)
			break
		}
	}
	more := map[string]string{}
	for _, dir := range dirs {
		found, _ := filepath.Glob(filepath.Join(root, dir, file+".d", "*.conf"))
		for _, path := range found {
			if name := filepath.Base(path); more[name] == "" {
				more[name] = path
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		out = append(out, more[name])
	}
	return out
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// parseSize reads "500M" as systemd does; what it does not understand says nothing.
func parseSize(text string) int64 {
	scale := int64(1)
	if n := len(text); n > 0 {
		if i := strings.IndexByte("KMGTPE", text[n-1]); i >= 0 {
			text, scale = text[:n-1], 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 {
		return 0
	}
	return int64(n * float64(scale))
}

// parseDays reads "30day"; other units of time say nothing here.
func parseDays(text string) int64 {
	number, found := strings.CutSuffix(text, "day")
	n, err := strconv.ParseInt(number, 10, 64)
	if !found || err != nil || n < 0 {
		return 0
	}
	return n
}
