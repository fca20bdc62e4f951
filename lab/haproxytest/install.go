package haproxytest

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gateway/internal/daemon"
)

// mark is what whoever installs files adds to each; HAProxy must not mind.
const mark = "# gw-sha256 0123456789abcdef\n"

// Put makes a file with the path that HAProxy sees it at: one below /etc/gateway.
func (d *Daemon) Put(path string, data []byte) {
	d.t.Helper()
	name := d.Path(path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, data, 0o600)); err != nil {
		d.t.Fatal(err)
	}
}

// Install writes what differs between two renderings as the applier does.
func (d *Daemon) Install(old, now daemon.Rendering) {
	d.t.Helper()
	for _, f := range now.Files {
		if was := old.File(f.Path); was == nil || !bytes.Equal(was, f.Data) {
			d.Put(f.Path, append(slices.Clone(f.Data), mark...))
		}
	}
	for _, f := range old.Files {
		if now.File(f.Path) != nil {
			continue
		}
		if err := os.Remove(d.Path(f.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			d.t.Fatal(err)
		}
	}
}
