// Command gateway-squid-lists is started by Squid, and tells it whether a host is in a list of names.
// It is a file of its own because Squid's AppArmor profile allows it programs of /usr/lib/squid only,
// and because it is started anew whenever Squid reads its configuration.
package main

import (
	"errors"
	"fmt"
	"os"

	"gateway/internal/namelist"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gateway-squid-lists:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: gateway-squid-lists FOLDER")
	}
	f := namelist.Folder{Path: args[0], Index: namelist.NewIndex()}
	stopped := make(chan error, 1)
	if err := f.Follow(stopped); err != nil {
		return err
	}
	return namelist.Serve(os.Stdin, os.Stdout, f.Index, stopped)
}
