package auth

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway/internal/fault"
)

func newReset(t *testing.T) (path, token string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), ".reset-token")
	text, err := CreateResetToken(path, noon)
	if err != nil {
		t.Fatal(err)
	}
	return path, text.Reveal()
}

func nothing() error { return nil }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// shows CTL-01
func TestAResetTokenHas32HexCharacters(t *testing.T) {
	_, token := newReset(t)
	if !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(token) {
		t.Errorf("token = %q, want 32 hex characters", token)
	}
}

// shows CTL-02
// shows CTL-03
func TestTheResetFileHoldsTokenAndExpiry(t *testing.T) {
	path, token := newReset(t)
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Fatalf("file = %v, %v, want mode 0600", info, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Token     string    `json:"token"`
		ExpiresAt time.Time `json:"expires_at"`
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Token != token {
		t.Error("the file holds another token than was returned")
	}
	if want := noon.Add(30 * time.Minute); !got.ExpiresAt.Equal(want) {
		t.Errorf("expires at %v, want %v", got.ExpiresAt, want)
	}
}

// shows AUTH-26
// shows AUTH-30
func TestARefusedResetLeavesTheFileInPlace(t *testing.T) {
	path, token := newReset(t)
	const message = "the reset token is invalid or has expired"
	for _, tc := range []struct {
		name, token string
		now         time.Time
	}{
		{"a wrong token", strings.Repeat("0", 32), noon},
		{"an empty token", "", noon},
		{"the beginning of the token", token[:31], noon},
		{"the token and more", token + "0", noon},
		{"the token 30 minutes later", token, noon.Add(30 * time.Minute)},
		{"the token a day later", token, noon.Add(24 * time.Hour)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := ConsumeResetToken(path, tc.token, tc.now, func() error {
				t.Error("the password was reset")
				return nil
			})
			if !fault.Is(err, fault.Unauthenticated) || err.Error() != message {
				t.Errorf("error = %v, want the one message for all", err)
			}
			if !exists(path) {
				t.Error("the file is gone")
			}
		})
	}
	if err := ConsumeResetToken(path, " "+token+"\n", noon.Add(30*time.Minute-time.Second), nothing); err != nil {
		t.Errorf("the right token just in time: %v", err)
	}
	err := ConsumeResetToken(filepath.Join(t.TempDir(), "none"), token, noon, nothing)
	if !fault.Is(err, fault.Unauthenticated) || err.Error() != message {
		t.Errorf("without a file: %v, want the one message for all", err)
	}
}

// shows AUTH-27
func TestSecretsAreComparedInConstantTime(t *testing.T) {
	// Measuring nanoseconds on a shared machine proves nothing, so read the source: the
	// comparison is made by crypto/subtle over hashes of equal length, and the token of
	// the file is used in no other comparison.
	fset := token.NewFileSet()
	readable, err := parser.ParseFile(fset, "readable.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if calls(function(t, readable, "sameSecret"), "ConstantTimeCompare") != 1 {
		t.Error("sameSecret does not compare by crypto/subtle")
	}
	reset, err := parser.ParseFile(fset, "reset.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if calls(function(t, reset, "claimReset"), "sameSecret") != 1 {
		t.Error("the reset token is not compared by sameSecret")
	}
	ast.Inspect(reset, func(n ast.Node) bool {
		if cmp, ok := n.(*ast.BinaryExpr); ok && (cmp.Op == token.EQL || cmp.Op == token.NEQ) && (isToken(cmp.X) || isToken(cmp.Y)) {
			t.Errorf("%s: the token is compared by %s", fset.Position(cmp.Pos()), cmp.Op)
		}
		return true
	})
	for _, tc := range []struct {
		a, b string
		want bool
	}{{"abc", "abc", true}, {"abc", "abd", false}, {"abc", "ab", false}, {"", "", true}, {"", "a", false}} {
		if got := sameSecret(tc.a, tc.b); got != tc.want {
			t.Errorf("sameSecret(%q, %q) = %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
}

func function(t *testing.T, file *ast.File, name string) *ast.FuncDecl {
	t.Helper()
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == name {
			return f
		}
	}
	t.Fatalf("no function %s", name)
	return nil
}

func calls(f *ast.FuncDecl, name string) (n int) {
	ast.Inspect(f, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			switch fun := call.Fun.(type) {
			case *ast.Ident:
				if fun.Name == name {
					n++
				}
			case *ast.SelectorExpr:
				if fun.Sel.Name == name {
					n++
				}
			}
		}
		return true
	})
	return n
}

func isToken(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name == "token"
	case *ast.SelectorExpr:
		return x.Sel.Name == "Token"
	}
	return false
}

// shows AUTH-28
// shows AUTH-29
func TestAResetTokenWorksOnce(t *testing.T) {
	path, token := newReset(t)
	var done atomic.Int32
	var refused atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			err := ConsumeResetToken(path, token, noon, func() error { done.Add(1); return nil })
			if fault.Is(err, fault.Unauthenticated) {
				refused.Add(1)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if done.Load() != 1 || refused.Load() != 49 {
		t.Errorf("%d resets and %d refusals, want 1 and 49", done.Load(), refused.Load())
	}
	if exists(path) {
		t.Error("the file is still there")
	}
	if claims, _ := filepath.Glob(path + claimInfix + "*"); len(claims) != 0 {
		t.Errorf("claims are left: %q", claims)
	}
}

func TestTheTokenIsTakenWhileTheResetRuns(t *testing.T) {
	path, token := newReset(t)
	err := ConsumeResetToken(path, token, noon, func() error {
		if err := ConsumeResetToken(path, token, noon, nothing); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("second use during the first: %v, want it refused", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestTenWrongTriesEndTheToken(t *testing.T) {
	path, token := newReset(t)
	var wg sync.WaitGroup
	for range 9 {
		wg.Go(func() { _ = ConsumeResetToken(path, strings.Repeat("f", 32), noon, nothing) })
	}
	wg.Wait()
	if !exists(path) {
		t.Fatal("the file is gone after nine wrong tries")
	}
	_ = ConsumeResetToken(path, strings.Repeat("f", 32), noon, nothing)
	if exists(path) {
		t.Error("the file is still there after ten wrong tries")
	}
	if err := ConsumeResetToken(path, token, noon, nothing); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("the right token afterwards: %v, want it refused", err)
	}
}

func TestAFailedResetPutsTheTokenBack(t *testing.T) {
	path, token := newReset(t)
	broken := errors.New("database is away")
	if err := ConsumeResetToken(path, token, noon, func() error { return broken }); !errors.Is(err, broken) {
		t.Fatalf("error = %v, want that of the reset", err)
	}
	if err := ConsumeResetToken(path, token, noon, nothing); err != nil {
		t.Errorf("second try: %v, want success", err)
	}
}

func TestAFailedResetDoesNotReplaceANewerToken(t *testing.T) {
	path, old := newReset(t)
	var newer string
	_ = ConsumeResetToken(path, old, noon, func() error {
		text, err := CreateResetToken(path, noon)
		newer = text.Reveal()
		return errors.Join(err, errors.New("database is away"))
	})
	if err := ConsumeResetToken(path, old, noon, nothing); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("the old token: %v, want it refused", err)
	}
	if err := ConsumeResetToken(path, newer, noon, nothing); err != nil {
		t.Errorf("the newer token: %v, want success", err)
	}
}

func TestANewTokenTidiesUpAfterACrash(t *testing.T) {
	path, _ := newReset(t)
	left := path + claimInfix + "CRASHED"
	if err := os.Rename(path, left); err != nil {
		t.Fatal(err)
	}
	if _, err := CreateResetToken(path, noon); err != nil {
		t.Fatal(err)
	}
	if exists(left) {
		t.Error("the claim of a crashed process is still there")
	}
}

func TestADamagedOrPublicResetFileIsNoToken(t *testing.T) {
	for _, tc := range []struct {
		name, content string
		mode          fs.FileMode
	}{
		{"empty", "", 0o600},
		{"an empty object", "{}", 0o600},
		{"an empty token", `{"token":"","expires_at":"2099-01-01T00:00:00Z"}`, 0o600},
		{"one that others may read", `{"token":"00000000000000000000000000000000","expires_at":"2099-01-01T00:00:00Z"}`, 0o644},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), ".reset-token")
			if err := errors.Join(os.WriteFile(path, []byte(tc.content), tc.mode), os.Chmod(path, tc.mode)); err != nil {
				t.Fatal(err)
			}
			for _, token := range []string{"", strings.Repeat("0", 32)} {
				if err := ConsumeResetToken(path, token, noon, nothing); err == nil {
					t.Errorf("token %q was taken", token)
				}
			}
		})
	}
}
