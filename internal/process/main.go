package process

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
)

// LevelFlag adds the log level to a flag set.
func LevelFlag(f *flag.FlagSet, level *slog.Level) {
	f.TextVar(level, "log-level", *level, "minimum log level: debug, info, warn or error; also "+levelVariable)
}

// Main ends the process as its result says. An error may know its exit code; 1 otherwise.
func Main(err error) {
	if err == nil {
		return
	}
	prefix := ""
	if journaled() {
		prefix = prefixError
	}
	fmt.Fprintln(os.Stderr, prefix+err.Error())
	code := 1
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		code = coded.ExitCode()
	}
	os.Exit(code)
}
