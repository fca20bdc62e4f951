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
			api, apply := Defaults(), ApplyDefaults()
			f, g := flag.NewFlagSet("api", flag.ContinueOnError), flag.NewFlagSet("apply", flag.ContinueOnError)
			api.Flags(f)
			apply.Flags(g)
			for _, set := range []*flag.FlagSet{f, g} {
				set.SetOutput(io.Discard)
				if err := set.Parse(tc.args); err != nil {
					t.Fatal(err)
				}
			}
			if api.LogLevel != tc.want || apply.LogLevel != tc.want {
				t.Errorf("the levels are %v and %v, want %v", api.LogLevel, apply.LogLevel, tc.want)
			}
		})
	}
}
