package app

import (
	"flag"

	"gateway/internal/process"
)

// Flags adds the configuration every process shares to a flag set.
func (c *Config) Flags(f *flag.FlagSet) {
	f.StringVar(&c.StateDir, "state-dir", c.StateDir, "directory of keys and setup state")
	f.StringVar(&c.Database, "database", c.Database, "address of the database")
	process.LevelFlag(f, &c.LogLevel)
}
