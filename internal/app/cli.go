package app

import (
	"flag"
	"fmt"
	"os"
)

// Flags adds the configuration every process shares to a flag set.
func (c *Config) Flags(f *flag.FlagSet) {
	f.StringVar(&c.StateDir, "state-dir", c.StateDir, "folder of keys and setup state")
	f.StringVar(&c.Database, "database", c.Database, "address of the database")
}

// Main ends the process as its result says.
func Main(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
