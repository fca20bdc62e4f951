package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// rehearsed runs the gate's script in a folder of its own, with programs in the place of
// make, go and apt-get that do nothing but what make is told to by a shell fragment. It
// answers the output and the exit code.
func rehearsed(t *testing.T, dir, makeDoes string, args ...string) (string, int) {
	t.Helper()
	if testing.Short() {
		t.Skip("the script waits for its stages, which takes seconds")
	}
	script, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		".ci/run":         string(script),
		"shim/make":       "#!/bin/sh\necho make \"$@\" >>made\n" + makeDoes + "\n",
		"shim/go":         "#!/bin/sh\n",
		"shim/yes":        "#!/bin/sh\nexec sleep 60\n", // in place of the busy loops
		"shim/npm":        "#!/bin/sh\n",
		"shim/apt-get":    "#!/bin/sh\n",
		"shim/dpkg-query": "#!/bin/sh\necho installed\n",
	} {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, ".ci/run"), args...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "shim")+":"+os.Getenv("PATH"), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "HOME="+filepath.Join(dir, "home"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String()), cmd.ProcessState.ExitCode()
}

// goes is what make does when all is well: five tests pass, and three in every area.
const goes = `
case "$*" in
test) echo 5 0 1 0 >>"$GATEWAY_TEST_COUNTS" ;;
bars*) echo 3 0 0 0 >>"$GATEWAY_TEST_COUNTS" ;;
esac
`

// passing is the last line when n tests beside those of make pass, and as many fail as said.
func passing(t *testing.T, n, failed int) string {
	t.Helper()
	return fmt.Sprintf("%d passed, %d failed", n+3*areas(t), failed)
}

// areas is how many of them the gate measures.
func areas(t *testing.T) int {
	t.Helper()
	script, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(script), "make bars GATE=1 AREA=")
}

func TestTheGate(t *testing.T) {
	for _, tc := range []struct {
		name, makeDoes string
		code           int
		last           string
		says           []string
	}{
		{"all is well", goes, 0, passing(t, 5, 0), []string{`unit +\d+s +\d+s +5 +0 +1 +0 +ok`, `bars-trust +\d+s +\d+s +3 +0 +0 +0 +ok`}},
		{
			"an unsteady test is listed and fails nothing",
			goes + `case "$*" in bars*AREA=web*) echo 0 0 0 1 >>"$GATEWAY_TEST_COUNTS"; echo 'unsteady: gateway/x TestX, ran twice' >>"$GATEWAY_TEST_UNSTEADY" ;; esac`,
			0, passing(t, 5, 0),
			[]string{`--- bars-web\nunsteady: gateway/x TestX, ran twice`, `bars-web +\d+s +\d+s +3 +0 +0 +1 +ok`},
		},
		{
			"a failed test is listed and fails the gate",
			goes + `case "$*" in e2e) echo 1 2 0 0 >>"$GATEWAY_TEST_COUNTS"; echo 'failed: gateway/y TestY' >>"$GATEWAY_TEST_FAILURES"; exit 1 ;; esac`,
			1, passing(t, 6, 2),
			[]string{`--- e2e\nfailed: gateway/y TestY`, `e2e +\d+s +\d+s +1 +2 +0 +0 +FAILED: exit code 1`},
		},
		{
			"a stage that fails without a test counts as one, and the others run",
			goes + `case "$*" in *lint*) echo 'a finding'; exit 2 ;; esac`,
			1, passing(t, 5, 1),
			[]string{`--- lint\na finding`, `lint +\d+s +\d+s +0 +0 +0 +0 +FAILED: exit code 2`},
		},
		{
			"without a package there is nothing to install",
			goes + `case "$*" in deb*) exit 2 ;; esac`,
			1, "5 passed, 1 failed",
			[]string{`unit +\d+s +\d+s +5 +0 +1 +0 +ok`, `e2e +- +- +- +- +- +- +not run`},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out, code := rehearsed(t, t.TempDir(), tc.makeDoes)
			if last := out[strings.LastIndex(out, "\n")+1:]; code != tc.code || last != tc.last {
				t.Errorf("exit code %d, last line %q, want %d and %q\n%s", code, last, tc.code, tc.last, out)
			}
			for _, want := range tc.says {
				if !regexp.MustCompile(want).MatchString(out) {
					t.Errorf("nothing matches %q in:\n%s", want, out)
				}
			}
		})
	}
}

func TestEveryStageRunsOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rehearsed(t, dir, goes)
	made, err := os.ReadFile(filepath.Join(dir, "made"))
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"make test", "make e2e", "make bars GATE=1 AREA=engine", "make bars GATE=1 AREA=trust"} {
		if n := strings.Count(string(made), target); n != 1 {
			t.Errorf("%q ran %d times, want once, in:\n%s", target, n, made)
		}
	}
}

const unsteadyStory = `case "$*" in e2e) echo 1 0 0 1 >>"$GATEWAY_TEST_COUNTS"; echo 'unsteady: gateway/x TestX, ran twice' >>"$GATEWAY_TEST_UNSTEADY" ;; esac`

func TestSteadyReportsItsRow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rehearsed(t, dir, goes)
	out, code := rehearsed(t, dir, goes+unsteadyStory, "steady")
	last := fmt.Sprintf("%d passed, 0 failed", 2*(3*areas(t)+1))
	want := regexp.MustCompile(`\nBAR trust\.11 the gate took \d+ s \(unknown, 0 failed\); 2 rounds beside 2 busy loops in \d+ s of stages: 0 failed, unsteady: TestX x2 target <=1800 s, 0 failed ok\n`)
	if code != 0 || !want.MatchString(out) || !strings.HasSuffix(out, "\n"+last) {
		t.Errorf("exit code %d, want 0, %s and %s in:\n%s", code, want, last, out)
	}
	left, err := os.ReadFile(filepath.Join(dir, ".cache/steady"))
	if err != nil || !strings.HasPrefix(string(left), "BAR trust.11 ") {
		t.Errorf("left for recording: %q, %v", left, err)
	}
}

// Figures that are recorded meanwhile change nothing that was measured; anything else does.
func TestSteadyGoesOnWhenFiguresWereRecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	commits := func(path string) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(rand.Text()), 0o644)); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"add", path}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "test"}} {
			if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v: %s", args, err, out)
			}
		}
	}
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("/.*\n/shim\n/cache\n/home\n/made\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	commits("code")
	rehearsed(t, dir, goes)
	for _, step := range []struct {
		changed, part, says string
	}{
		{"docs/measured.md", "e2e", `the gate took \d+ s \(\w+, 0 failed\).* not run: bars-web, `},
		{"docs/measured.md", "trust", ` not run: bars-web, bars, bars-engine, `},
		{"code", "web", ` not run: e2e, bars, bars-trust, `},
	} {
		commits(step.changed)
		if out, _ := rehearsed(t, dir, goes, "steady", step.part); !regexp.MustCompile(step.says).MatchString(out) {
			t.Errorf("after a change of %s nothing matches %q in:\n%s", step.changed, step.says, out)
		}
	}
}

func TestSteadyAddsUpItsParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made := filepath.Join(dir, "made")
	fails := `case "$*" in *AREA=trust*) exit 1 ;; esac`
	for _, step := range []struct {
		part, makeDoes string
		code, ran      int
		says           string
	}{
		{"nowhere", goes, 2, 0, `there is no stage nowhere, only .*\be2e\b`},
		{"e2e", goes + unsteadyStory, 0, 2, `: 0 failed, unsteady: TestX x2, not run: .*\bbars-trust\b.* target .* short\n`},
		{"trust", goes + fails, 1, 2, `: 2 failed, unsteady: TestX x2, not run: bars-web, .*\bbars-engine\b.* target .* short\n`},
		{"trust", goes, 0, 2, `: 2 failed, unsteady: TestX x2, not run: bars-web, .*\bbars-engine\b.* target .* short\n`},
	} {
		if err := os.Remove(made); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		out, code := rehearsed(t, dir, step.makeDoes, "steady", step.part)
		ran, _ := os.ReadFile(made) // none when there is no such part
		if code != step.code || strings.Count(string(ran), "make ") != step.ran || !regexp.MustCompile(step.says).MatchString(out) {
			t.Errorf("%s: exit code %d, want %d, and %s in:\n%s\nran: %s", step.part, code, step.code, step.says, out, ran)
		}
	}
}
