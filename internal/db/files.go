package db

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// files is a flat, read-only file system in memory: the merged migrations.
type files map[string][]byte

func (f files) Open(name string) (fs.File, error) {
	if name == "." {
		return &file{name: "."}, nil
	}
	data, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &file{name: name, size: int64(len(data)), Reader: bytes.NewReader(data)}, nil
}

func (f files) ReadDir(string) ([]fs.DirEntry, error) {
	var entries []fs.DirEntry
	for name, data := range f {
		entries = append(entries, fs.FileInfoToDirEntry(&file{name: name, size: int64(len(data))}))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// file is an open file and its own description.
type file struct {
	name string
	size int64
	io.Reader
}

func (f *file) Stat() (fs.FileInfo, error) { return f, nil }
func (f *file) Close() error               { return nil }
func (f *file) Name() string               { return path.Base(f.name) }
func (f *file) Size() int64                { return f.size }
func (f *file) ModTime() time.Time         { return time.Time{} }
func (f *file) IsDir() bool                { return f.name == "." }
func (f *file) Sys() any                   { return nil }

func (f *file) Mode() fs.FileMode {
	if f.IsDir() {
		return fs.ModeDir | 0o555
	}
	return 0o444
}
