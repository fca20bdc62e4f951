package ctl

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTwoVerificationsAreOneAfterTheOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "restore", "verify")
	unlock, err := alone(t.Context(), path, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := alone(t.Context(), path, 50*time.Millisecond); err == nil || !strings.Contains(err.Error(), "another verification") {
		t.Errorf("err = %v, want that it does not wait for ever", err)
	}
	second := make(chan error)
	go func() {
		unlock, err := alone(t.Context(), path, time.Minute)
		if err == nil {
			unlock()
		}
		second <- err
	}()
	select {
	case err := <-second:
		t.Fatalf("two at once: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	unlock()
	if err := <-second; err != nil {
		t.Error(err)
	}
}
