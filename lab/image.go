package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// keptImages is how long an image stays that nobody used.
const keptImages = 24 * time.Hour

// From starts a node with the disk of an image. Its name and its place in the networks must
// be those of the image's node as far as the system on the disk knows them.
func From(image string) Option {
	return func(s *settings) { s.image = image }
}

// Image returns the disk of a node that prepare has started and changed, for any number of
// nodes to start from. It is made once on this machine for each key, which has to tell
// apart all that prepare makes of it; the node is shut down in order, and its journal is
// not kept.
func Image(ctx context.Context, key string, prepare func(*Lab) (*Node, error)) (string, error) {
	dir := filepath.Join(cacheDir(), "image-"+rootKey()+"-"+key)
	if inUse(dir) {
		return dir, nil
	}
	if err := os.MkdirAll(cacheDir(), 0o755); err != nil {
		return "", fmt.Errorf("make the lab's cache: %w", err)
	}
	held, err := lock(ctx, filepath.Join(cacheDir(), "image.lock"))
	if err != nil {
		return "", err
	}
	defer held.Close()
	if inUse(dir) { // another process made it while this one waited
		return dir, nil
	}
	if err := forgetImages(); err != nil {
		return "", err
	}
	l, err := Open(ctx)
	if err != nil {
		return "", err
	}
	defer l.Close() // prepare may end the test
	n, err := prepare(l)
	if err == nil {
		err = n.keep(dir)
	}
	if err := errors.Join(err, l.Close()); err != nil {
		return "", fmt.Errorf("make an image: %w", err)
	}
	return dir, nil
}

// inUse reports whether there is an image, and has it stay: another checkout may be about to forget old ones.
func inUse(dir string) bool {
	now := time.Now()
	return os.Chtimes(dir, now, now) == nil
}

// keep shuts the node down for good and moves what was written to its disk to a folder.
func (n *Node) keep(dir string) error {
	if err := n.PowerOff(); err != nil {
		return err
	}
	n.disk.holder.stop() // nothing may have it mounted while it moves
	upper := filepath.Join(n.lab.dir, n.name, "upper")
	if err := os.RemoveAll(filepath.Join(upper, "var/log/journal")); err != nil {
		return fmt.Errorf("remove the journal: %w", err)
	}
	return os.Rename(upper, dir)
}

// forgetImages removes images that nobody used for longer than any run takes.
func forgetImages() error {
	dirs, err := filepath.Glob(filepath.Join(cacheDir(), "image-*"))
	if err != nil {
		return fmt.Errorf("list images: %w", err)
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > keptImages {
			if err := os.RemoveAll(dir); err != nil {
				return fmt.Errorf("remove an old image: %w", err)
			}
		}
	}
	return nil
}
