package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// testPrefix is how the tests of an area are named: TestBarFoundation for foundation.
func testPrefix(area string) string {
	if area == "" {
		return "TestBar"
	}
	return "TestBar" + strings.ToUpper(area[:1]) + area[1:]
}

// packages lists the directories below roots that hold a test with the prefix, so
// that only their test binaries are built.
func packages(roots []string, prefix string) ([]string, error) {
	var found []string
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			src, err := os.ReadFile(path)
			if err == nil && strings.Contains(string(src), "\nfunc "+prefix) {
				found = append(found, "./"+filepath.ToSlash(filepath.Dir(path)))
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("look for bars: %w", err)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}
