package auth

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

func TestEnsureSetupCodeMakesOneOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "setup-code")
	code, created, err := EnsureSetupCode(path)
	if err != nil || !created {
		t.Fatalf("first = %v, %v, want a new code", created, err)
	}
	if !regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$`).MatchString(code.Reveal()) {
		t.Errorf("code = %q, want it like XXXX-XXXX-XXXX", code.Reveal())
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("file = %v, %v, want mode 0600", info, err)
	}
	again, created, err := EnsureSetupCode(path)
	if err != nil || created || again != code {
		t.Errorf("second = %v, %v, want the same code", created, err)
	}
}

func TestEnsureSetupCodeGivesEveryRacerTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "setup-code")
	got := make([]string, 20)
	made := make([]bool, 20)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			code, created, err := EnsureSetupCode(path)
			if err != nil {
				t.Error(err)
			}
			got[i], made[i] = code.Reveal(), created
		})
	}
	wg.Wait()
	makers := 0
	for i := range got {
		if got[i] != got[0] {
			t.Error("two racers got different codes")
		}
		if made[i] {
			makers++
		}
	}
	if makers != 1 {
		t.Errorf("%d racers made the code, want 1", makers)
	}
}

func TestMatchSetupCode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "setup-code")
	if err := os.WriteFile(path, []byte("01AB-CDEF-GHJK\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, code string
		want       bool
	}{
		{"as printed", "01AB-CDEF-GHJK", true},
		{"lower case", "01ab-cdef-ghjk", true},
		{"without dashes, with spaces", " 01AB CDEF GHJK ", true},
		{"letters for digits", "oiab-cdef-ghjk", true},
		{"a letter wrong", "01AB-CDEF-GHJM", false},
		{"the beginning", "01AB-CDEF", false},
		{"empty", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, err := MatchSetupCode(path, tc.code); err != nil || got != tc.want {
				t.Errorf("match = %v, %v, want %v", got, err, tc.want)
			}
		})
	}
}

func TestARemovedSetupCodeMatchesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "setup-code")
	code, _, err := EnsureSetupCode(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // removing twice is fine
		if err := RemoveSetupCode(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []string{code.Reveal(), ""} {
		if ok, err := MatchSetupCode(path, c); ok || err != nil {
			t.Errorf("match = %v, %v, want false", ok, err)
		}
	}
}

func TestADamagedSetupCodeMatchesNothing(t *testing.T) {
	for _, content := range []string{"", "\n", "01AB", strings.Repeat("A", 40)} {
		path := filepath.Join(t.TempDir(), "setup-code")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if ok, err := MatchSetupCode(path, content); ok || err == nil {
			t.Errorf("%q: match = %v, %v, want an error", content, ok, err)
		}
		if _, _, err := EnsureSetupCode(path); err == nil {
			t.Errorf("%q: taken as a code", content)
		}
	}
}
