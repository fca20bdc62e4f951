// Command sbom prints the bill of materials of the given programs and of the browser UI that
// is embedded in them, for shipping beside them.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"

	"gateway/packaging/sbom"
)

func main() {
	version := flag.String("version", "", "version of the package")
	lock := flag.String("lock", "web/package-lock.json", "npm's lock file")
	flag.Parse()
	if err := run(*version, *lock, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(version, lock string, programs []string) error {
	if version == "" || len(programs) == 0 {
		return errors.New("usage: sbom -version x.y.z PROGRAM [PROGRAM ...]")
	}
	packages, err := os.ReadFile(lock)
	if err != nil {
		return err
	}
	d, err := sbom.New(version, programs, packages)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(d)
}
