package testrun

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const events = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestGood"}
{"Action":"output","Package":"p","Test":"TestGood","Output":"quiet when good\n"}
{"Action":"pass","Package":"p","Test":"TestGood","Elapsed":0}
{"Action":"run","Package":"p","Test":"TestBad"}
{"Action":"output","Package":"p","Test":"TestBad","Output":"why it failed\n"}
{"Action":"fail","Package":"p","Test":"TestBad","Elapsed":0}
{"Action":"skip","Package":"p","Test":"TestNotHere","Elapsed":0}
{"Action":"fail","Package":"p","Elapsed":0.5}
`

func reportOf(t *testing.T, o Options, in string) (*Report, string) {
	t.Helper()
	var out strings.Builder
	o.Out = &out
	a, err := read(o, strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	return newReport(a, nil), out.String()
}

func TestReadCountsAndPrintsOnlyWhatFailed(t *testing.T) {
	r, out := reportOf(t, Options{}, events)
	if got, want := r.Result(), (Result{Passed: 1, Failed: 1, Skipped: 1}); got != want {
		t.Errorf("result = %v, want %v", got, want)
	}
	if !strings.Contains(out, "why it failed") || strings.Contains(out, "quiet when good") {
		t.Errorf("output = %q, want the failed test's lines and no others", out)
	}
}

func TestReadStreamsEverythingWhenAsked(t *testing.T) {
	if _, out := reportOf(t, Options{Stream: true}, events); !strings.Contains(out, "quiet when good") {
		t.Errorf("output = %q, want every line", out)
	}
}

func TestReadCountsAPackageThatFailsWithoutATest(t *testing.T) {
	for name, in := range map[string]string{
		"it does not build": `{"ImportPath":"p","Action":"build-output","Output":"p.go:1: syntax error\n"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`,
		"a test never ends": `{"Action":"run","Package":"p","Test":"TestHang"}
{"Action":"output","Package":"p","Test":"TestHang","Output":"syntax error of another kind\n"}
{"Action":"fail","Package":"p"}
`,
		"the run is stopped": `{"Action":"output","Package":"p","Test":"TestSlow","Output":"syntax error, nearly\n"}
`,
	} {
		t.Run(name, func(t *testing.T) {
			r, out := reportOf(t, Options{}, in)
			if res := r.Result(); res.Failed != 1 || !strings.Contains(out, "syntax error") {
				t.Errorf("result = %v, output = %q, want one failure with its cause", res, out)
			}
		})
	}
}

func digestOf(t *testing.T, in string) string {
	t.Helper()
	r, _ := reportOf(t, Options{Stream: true}, in)
	var out strings.Builder
	if err := r.Publish(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func said(test, line string) string {
	return `{"Action":"output","Package":"m/p","Test":"` + test + `","Output":"` + line + `\n"}` + "\n"
}

func ended(test, action string) string {
	return `{"Action":"` + action + `","Package":"m/p","Test":"` + test + `"}` + "\n"
}

func TestDigestNamesWhatFailedAndWhy(t *testing.T) {
	t.Setenv(FailuresEnv, "") // these are nobody's failures
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("p", 0o755); err != nil {
		t.Fatal(err)
	}
	source := strings.Repeat("\tt.Error(oops)\n", 9) + "\tt.Logf(fine)\n"
	if err := os.WriteFile("p/a_test.go", []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	const failed = `{"Action":"fail","Package":"m/p"}` + "\n"
	for _, tc := range []struct{ name, in, want string }{
		{
			"nothing failed",
			said("TestA", "    a_test.go:1: no") + ended("TestA", "pass") + `{"Action":"pass","Package":"m/p"}` + "\n",
			"",
		},
		{
			"what a test only logged, and what a node's journal says, is left out",
			said("TestA", "    a_test.go:10: fine") + said("TestA", "    a_test.go:2: bad") + said("TestA", "        Nov 15 a line of a journal") + ended("TestA", "fail") + failed,
			"failed: m/p TestA\n    a_test.go:2: bad\n",
		},
		{
			"the first five are enough",
			strings.Repeat(said("TestA", "    a_test.go:3: bad"), 9) + ended("TestA", "fail") + failed,
			"failed: m/p TestA\n" + strings.Repeat("    a_test.go:3: bad\n", 5),
		},
		{
			"a test that failed by a subtest says nothing of its own",
			said("TestA/b", "        a_test.go:4: bad") + ended("TestA/b", "fail") + ended("TestA", "fail") + failed,
			"failed: m/p TestA/b\n    a_test.go:4: bad\n",
		},
		{
			"a test that died, or was stopped",
			`{"Action":"run","Package":"m/p","Test":"TestA"}` + "\n" + said("TestA", "panic: test timed out after 25m0s") + failed,
			"failed: m/p TestA\n    panic: test timed out after 25m0s\n    it never ended\n",
		},
		{
			"a package that does not build",
			`{"ImportPath":"m/p [m/p.test]","Action":"build-output","Output":"p/a.go:1:2: syntax error\n"}` + "\n" + `{"Action":"fail","Package":"m/p","FailedBuild":"m/p [m/p.test]"}` + "\n",
			"failed: m/p\n    p/a.go:1:2: syntax error\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := digestOf(t, tc.in); got != tc.want {
				t.Errorf("digest = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestDigestsAreAppended(t *testing.T) {
	path := filepath.Join(t.TempDir(), "failures")
	t.Setenv(FailuresEnv, path)
	for range 2 {
		digestOf(t, said("TestA", "    b_test.go:1: bad")+ended("TestA", "fail"))
	}
	got, err := os.ReadFile(path)
	if want := strings.Repeat("failed: m/p TestA\n    b_test.go:1: bad\n", 2); err != nil || string(got) != want {
		t.Errorf("failures = %q, %v, want %q", got, err, want)
	}
}

func TestReadTellsListeners(t *testing.T) {
	var lines, ends []string
	reportOf(t, Options{
		OnOutput: func(_, test, line string) { lines = append(lines, test+": "+line) },
		OnEnd:    func(_, test, action string) { ends = append(ends, test+" "+action) },
	}, events)
	if got, want := strings.Join(lines, "|"), "TestGood: quiet when good|TestBad: why it failed"; got != want {
		t.Errorf("lines = %q, want %q", got, want)
	}
	if got, want := strings.Join(ends, "|"), "TestGood pass|TestBad fail|TestNotHere skip"; got != want {
		t.Errorf("ends = %q, want %q", got, want)
	}
}

func TestCountsAreAppended(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counts")
	for range 2 {
		if err := (Result{Passed: 4, Failed: 1, Unsteady: 2}).append(path); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "4 1 0 2\n4 1 0 2\n" {
		t.Errorf("counts = %q, %v, want two lines", got, err)
	}
}
