package testrun

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// once answers true at the first call for a file, and false ever after.
const once = `
func once(name string) bool {
	_, err := os.Stat(name)
	return err != nil && os.WriteFile(name, nil, 0o600) == nil
}
`

// module has one package for every way in which tests go wrong.
var module = map[string]string{
	"go.mod": "module fake\n\ngo 1.26\n",
	"good/x_test.go": `package good
import "testing"
func TestGood(t *testing.T) {}
func TestLeftOut(t *testing.T) { t.Error("it was not asked for") }
`,
	"flaky/x_test.go": `package flaky
import ("os"; "testing")` + once + `
func TestFlaky(t *testing.T) {
	t.Run("steady", func(t *testing.T) {})
	t.Run("part", func(t *testing.T) {
		if once("flaky") { t.Error("a bad second") }
		t.Log("a good second")
	})
}
func TestFlakyToo(t *testing.T) { t.Log("its name only begins alike") }
`,
	"bad/x_test.go": `package bad
import "testing"
func TestBad(t *testing.T) { t.Error("always") }
`,
	"boom/x_test.go": `package boom
import ("os"; "testing")` + once + `
func TestA(t *testing.T) {}
func TestBoom(t *testing.T) { if once("boom") { panic("boom") } }
func TestC(t *testing.T) {}
`,
	"bang/x_test.go": `package bang
import "testing"
func TestBang(t *testing.T) { panic("bang") }
func TestAfterBang(t *testing.T) { t.Error("seen only because it ran again") }
`,
	"hang/x_test.go": `package hang
import ("os"; "testing")` + once + `
func TestBeforeHang(t *testing.T) {}
func TestHang(t *testing.T) { if once("hang") { select {} } }
func TestAfterHang(t *testing.T) {}
`,
	"stuck/x_test.go": `package stuck
import "testing"
func TestStuck(t *testing.T) { select {} }
`,
	"setup/x_test.go": `package setup
import ("os"; "testing")` + once + `
func TestMain(m *testing.M) { if once("setup") { os.Exit(3) }; m.Run() }
func TestX(t *testing.T) {}
`,
	"broken/x_test.go": `package broken
import "testing"
func TestBroken(t *testing.T) { undefined() }
`,
}

func inModule(t *testing.T) {
	t.Helper()
	for _, env := range []string{CountsEnv, FailuresEnv, UnsteadyEnv} {
		t.Setenv(env, "")
	}
	t.Chdir(t.TempDir())
	for path, src := range module {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatFailedRunsOnceMore(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module of its own")
	}
	inModule(t)
	var out strings.Builder
	r, err := Go(t.Context(), Options{Out: &out, Retry: true}, []string{"-timeout=2s", "-skip=^TestLeftOut$"}, []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if err := r.Publish(&said); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(r.Unsteady(), "; "), "fake/boom TestBoom; fake/flaky TestFlaky; fake/hang TestHang; fake/setup"; got != want {
		t.Errorf("unsteady = %s, want %s\n%s", got, want, out.String())
	}
	// Good; Flaky with two parts and FlakyToo; A, Boom, C; three of hang; X of setup.
	// Bad; Bang and what came after it; Stuck; the package that does not build.
	if got, want := r.Result(), (Result{Passed: 12, Failed: 5, Unsteady: 4}); got != want {
		t.Errorf("result = %v, want %v\n%s", got, want, said.String())
	}
	for _, want := range []string{
		`failed: fake/bad TestBad, ran twice\n  first: failed after .* s\n    x_test.go:3: always\n  then: failed after .* s\n    x_test.go:3: always\n`,
		`failed: fake/bang TestAfterBang, ran twice\n`,
		`failed: fake/bang TestBang, ran twice\n`,
		`failed: fake/broken\n    # fake/broken.*\n    .*undefined: undefined\n`,
		`failed: fake/stuck TestStuck, ran twice\n  first: did not end\n    panic: test timed out after 2s\n    it never ended\n  then: did not end\n`,
		`unsteady: fake/boom TestBoom, ran twice\n  first: failed after .* s\n    panic: boom.*\n  then: passed in .* s\n`,
		`unsteady: fake/flaky TestFlaky, ran twice\n  first: failed after .* s\n    TestFlaky/part\n    x_test.go:11: a bad second\n  then: passed in .* s\n    TestFlaky/part\n    x_test.go:12: a good second\n`,
		`unsteady: fake/hang TestHang, ran twice\n  first: did not end\n`,
	} {
		if !regexp.MustCompile(want).MatchString(said.String()) {
			t.Errorf("nothing said matches %q in:\n%s", want, said.String())
		}
	}
	for _, again := range []string{"broken", "good"} {
		if strings.Contains(out.String(), "again, alone: fake/"+again) || strings.Contains(out.String(), "did not end: fake/"+again) {
			t.Errorf("%s ran again:\n%s", again, out.String())
		}
	}
}

func TestNothingRunsAgainUnlessAsked(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module of its own")
	}
	inModule(t)
	r, err := Go(t.Context(), Options{Out: &strings.Builder{}}, nil, []string{"./flaky"})
	if got, want := r.Result(), (Result{Passed: 2, Failed: 2}); err != nil || got != want {
		t.Errorf("result = %v, %v, want %v", got, err, want)
	}
}

// failing is a first run in which n tests failed, each saying line.
func failing(t *testing.T, n int, line string) *Report {
	t.Helper()
	var in strings.Builder
	for i := range n {
		test := "TestBad" + string(rune('A'+i))
		in.WriteString(said(test, line) + ended(test, "fail"))
	}
	in.WriteString(`{"Action":"output","Package":"m/p","Output":"FAIL\n"}` + "\n" + `{"Action":"fail","Package":"m/p"}` + "\n")
	r, _ := reportOf(t, Options{}, in.String())
	return r
}

func TestWhatIsNotChanceIsNotTriedAgain(t *testing.T) {
	for _, tc := range []struct {
		name   string
		report *Report
		runs   int
	}{
		{"a few failures are tried", failing(t, 3, "bad"), 3},
		{"many have one cause", failing(t, mostRetries+1, "bad"), 0},
		{"a data race has been seen", failing(t, 1, "WARNING: DATA RACE"), 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			runs := 0
			err := tc.report.retry(func(...string) (attempt, error) {
				runs++
				return newAttempt(), nil
			}, &strings.Builder{})
			if err != nil || runs != tc.runs {
				t.Errorf("ran again %d times, %v, want %d", runs, err, tc.runs)
			}
		})
	}
}

func TestATestThatIsGoneTheSecondTimeFails(t *testing.T) {
	r := failing(t, 1, "bad")
	err := r.retry(func(...string) (attempt, error) { return newAttempt(), nil }, &strings.Builder{})
	if got, want := r.Result(), (Result{Failed: 1}); err != nil || got != want {
		t.Errorf("result = %v, %v, want %v", got, err, want)
	}
}

func TestABinaryThatDiesTwiceFailsWhoeverDidIt(t *testing.T) {
	died := func(test string) string {
		return said(test, "panic: oops") + ended(test, "fail") + `{"Action":"fail","Package":"m/p"}` + "\n"
	}
	r, _ := reportOf(t, Options{}, died("TestA"))
	calls := 0
	err := r.retry(func(...string) (attempt, error) {
		if calls++; calls == 1 {
			second, _ := reportOf(t, Options{}, died("TestB"))
			return second.attempt, nil
		}
		test := map[int]string{2: "TestA", 3: "TestB"}[calls]
		alone, _ := reportOf(t, Options{}, ended(test, "pass")+`{"Action":"pass","Package":"m/p"}`+"\n")
		return alone.attempt, nil
	}, &strings.Builder{})
	if got, want := r.Result(), (Result{Passed: 2, Failed: 1, Unsteady: 2}); err != nil || got != want {
		t.Errorf("result = %v, %v, want %v", got, err, want)
	}
}
