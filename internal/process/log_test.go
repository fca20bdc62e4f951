package process

import (
	"flag"
	"io"
	"log/slog"
	"strings"
	"testing"
)

func TestTheJournalReadsThePriorityOfALine(t *testing.T) {
	var out strings.Builder
	log := slog.New(newPriorities(&out, slog.LevelInfo)).With("unit", "x").WithGroup("g")
	log.Debug("not asked for")
	log.Info("up")
	log.Warn("careful", "what", "two\nlines")
	log.Error("broken")
	want := "<6>level=INFO msg=up unit=x\n<4>level=WARN msg=careful unit=x g.what=\"two\\nlines\"\n<3>level=ERROR msg=broken unit=x\n"
	if got := out.String(); got != want {
		t.Errorf("the log is\n%swant\n%s", got, want)
	}
}

func TestTheLogLevelIsSetByFlagOrEnvironment(t *testing.T) {
	for _, tc := range []struct {
		name, env string
		args      []string
		want      slog.Level
	}{
		{"neither", "", nil, slog.LevelInfo},
		{"the environment", "debug", nil, slog.LevelDebug},
		{"a level that is none", "loud", nil, slog.LevelInfo},
		{"the flag wins", "debug", []string{"--log-level", "warn"}, slog.LevelWarn},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv(levelVariable, tc.env)
			level, f := EnvLevel(), flag.NewFlagSet("process", flag.ContinueOnError)
			LevelFlag(f, &level)
			f.SetOutput(io.Discard)
			if err := f.Parse(tc.args); err != nil {
				t.Fatal(err)
			}
			if level != tc.want {
				t.Errorf("the level is %v, want %v", level, tc.want)
			}
		})
	}
}
