package app

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
)

// Flags adds the configuration every process shares to a flag set.
func (c *Config) Flags(f *flag.FlagSet) {
	f.StringVar(&c.StateDir, "state-dir", c.StateDir, "folder of keys and setup state")
	f.StringVar(&c.Database, "database", c.Database, "address of the database")
	levelFlag(f, &c.LogLevel)
}

func levelFlag(f *flag.FlagSet, level *slog.Level) {
	f.TextVar(level, "log-level", *level, "log what is as grave or graver: debug, info, warn or error; also "+levelVariable)
}

// Main ends the process as its result says.
func Main(err error) {
	if err != nil {
		prefix := ""
		if journaled() {
			prefix = prefixError
		}
		fmt.Fprintln(os.Stderr, prefix+err.Error())
		os.Exit(1)
	}
}
