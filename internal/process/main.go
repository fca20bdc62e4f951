package process

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
)

// LevelFlag adds the log level to a flag set.
func LevelFlag(f *flag.FlagSet, level *slog.Level) {
	f.TextVar(level, "log-level", *level, "minimum log level: debug, info, warn or error; also "+levelVariable)
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
