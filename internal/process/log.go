// Package process is what every process of the product has in common: its log, how it waits, and
// how it ends.
package process

import (
	"context"
	"io"
	"log/slog"
	"os"

	"github.com/coreos/go-systemd/v22/journal"
)

// levelVariable sets the log level where a unit's command line stays as it is.
const levelVariable = "GATEWAY_LOG_LEVEL"

// EnvLevel is the level that the environment asks for; info if it is silent or unreadable.
func EnvLevel() (level slog.Level) {
	if err := level.UnmarshalText([]byte(os.Getenv(levelVariable))); err != nil {
		return slog.LevelInfo
	}
	return level
}

// NewLog is the log of every process: standard error, with the priority that the journal
// reads where it is the journal that reads.
func NewLog(level slog.Leveler) *slog.Logger {
	if journaled() {
		return slog.New(newPriorities(os.Stderr, level))
	}
	return slog.New(textHandler(os.Stderr, level))
}

func journaled() bool {
	is, err := journal.StderrIsJournalStream()
	return err == nil && is
}

func textHandler(w io.Writer, level slog.Leveler) slog.Handler {
	return slog.NewTextHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: withoutTime})
}

// withoutTime leaves the time to the journal, which has a better one.
func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey && len(groups) == 0 {
		return slog.Attr{}
	}
	return a
}

// The journal's priorities, as sd-daemon(3) has them: a line that begins so is filed under it.
const (
	prefixError   = "<3>"
	prefixWarning = "<4>"
	prefixInfo    = "<6>"
	prefixDebug   = "<7>"
)

func prefixOf(level slog.Level) string {
	switch {
	case level >= slog.LevelError:
		return prefixError
	case level >= slog.LevelWarn:
		return prefixWarning
	case level >= slog.LevelInfo:
		return prefixInfo
	default:
		return prefixDebug
	}
}

// priorities is a handler for each priority: a text handler does not tell its writer which
// level a line has.
type priorities map[string]slog.Handler

func newPriorities(w io.Writer, level slog.Leveler) priorities {
	p := priorities{}
	for _, prefix := range []string{prefixError, prefixWarning, prefixInfo, prefixDebug} {
		p[prefix] = textHandler(prefixed{w, prefix}, level)
	}
	return p
}

// prefixed puts a few bytes before each line. A text handler writes a line in one piece, and
// quotes what would make it two.
type prefixed struct {
	w      io.Writer
	prefix string
}

func (p prefixed) Write(line []byte) (int, error) {
	if _, err := p.w.Write(append([]byte(p.prefix), line...)); err != nil {
		return 0, err
	}
	return len(line), nil
}

func (p priorities) Enabled(ctx context.Context, level slog.Level) bool {
	return p[prefixOf(level)].Enabled(ctx, level)
}

func (p priorities) Handle(ctx context.Context, r slog.Record) error {
	return p[prefixOf(r.Level)].Handle(ctx, r)
}

func (p priorities) WithAttrs(attrs []slog.Attr) slog.Handler {
	return p.each(func(h slog.Handler) slog.Handler { return h.WithAttrs(attrs) })
}

func (p priorities) WithGroup(name string) slog.Handler {
	return p.each(func(h slog.Handler) slog.Handler { return h.WithGroup(name) })
}

func (p priorities) each(with func(slog.Handler) slog.Handler) priorities {
	out := priorities{}
	for prefix, h := range p {
		out[prefix] = with(h)
	}
	return out
}
