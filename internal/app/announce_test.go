package app

import (
	"log/slog"
	"os"
	"strings"
	"testing"

	"gateway/internal/auth"
)

func TestTheLogSaysWhereTheSetupCodeIsAndNotWhatItIs(t *testing.T) {
	var log strings.Builder
	cfg := Defaults()
	cfg.StateDir = t.TempDir()
	cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	a, err := NewAPI(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	if err := a.announceSetup(); err != nil {
		t.Fatal(err)
	}
	code, created, err := auth.EnsureSetupCode(cfg.SetupCode())
	if err != nil || created {
		t.Fatalf("the code is made anew (%v), want the one that was announced: %v", created, err)
	}
	file, err := os.ReadFile(cfg.SetupCode())
	if err != nil {
		t.Fatal(err)
	}
	holds := func(text string) bool {
		return strings.Contains(strings.ReplaceAll(text, "-", ""), strings.ReplaceAll(code.Reveal(), "-", ""))
	}
	if !holds(string(file)) { // the control
		t.Error("the search does not find the code in its own file")
	}
	if holds(log.String()) {
		t.Errorf("the log has the setup code: %s", log.String())
	}
	if !strings.Contains(log.String(), "gateway-ctl setup-code") {
		t.Errorf("the log does not say where the code is: %s", log.String())
	}
}
