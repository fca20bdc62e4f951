package ctl_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gateway/internal/ctl"
	"gateway/internal/process"
)

const manual = "../../packaging/man/gateway-ctl.8"

var update = flag.Bool("update", false, "write the manual anew")

func TestTheManualIsCurrent(t *testing.T) {
	var want bytes.Buffer
	ctl.Manual(&want)
	if *update {
		if err := os.WriteFile(manual, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(manual)
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("packaging/man/gateway-ctl.8 is not what the commands say (%v); run go test ./internal/ctl -update", err)
	}
	for _, cmd := range ctl.New().Commands() {
		if !cmd.Hidden && !strings.Contains(want.String(), strings.ReplaceAll(cmd.Name(), "-", `\-`)) {
			t.Errorf("the manual lacks %s", cmd.Name())
		}
	}
}

func TestTheManualIsReadable(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed")
	}
	out, err := exec.CommandContext(t.Context(), groff, "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=100n", manual).CombinedOutput()
	if err != nil || strings.Contains(string(out), "warning") {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"gateway-ctl - local administration of this gateway node", "--confirm-within", "EXIT STATUS", "6      Not live"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the page lacks %q:\n%s", want, out)
		}
	}
}

func TestHelpHasTheExitCodes(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"apply", "--help"}, {}} {
		out, err := run(t, args...)
		if err != nil || !strings.Contains(out, "Exit codes:\n  0  Done.\n") || !strings.Contains(out, "  6  Not live") {
			t.Errorf("%v: %s (%v)", args, out, err)
		}
	}
}

const asProcess = "GATEWAY_TEST_AS_CTL"

// TestRunAsGatewayCtl is no test: it is gateway-ctl for those that start this program again.
func TestRunAsGatewayCtl(t *testing.T) {
	if os.Getenv(asProcess) == "" {
		t.Skip("only for tests that run gateway-ctl as a process")
	}
	root := ctl.New()
	root.SetArgs(flag.Args())
	process.Main(ctl.Execute(t.Context(), root))
	os.Exit(0)
}

// The shell asks the program itself, so a new command or path is completed without ado.
func TestCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	bin := t.TempDir()
	wrapper := fmt.Sprintf("#!/bin/sh\n%s=1 exec %s -test.run='^TestRunAsGatewayCtl$' -- \"$@\"\n", asProcess, os.Args[0])
	if err := os.WriteFile(filepath.Join(bin, "gateway-ctl"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ typed, want string }{
		{"st", "status"},
		{"mig", ""},
		{"apply --confirm", "--confirm-within"},
		{"api P", "POST PUT PATCH"},
		{"api POST /dns/z", "/dns/zones"},
	} {
		t.Run(tc.typed, func(t *testing.T) {
			script := `compopt() { :; }; source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gateway_ctl; echo "${COMPREPLY[*]}"`
			args := append([]string{"-c", script, "bash", "../../packaging/completion/gateway-ctl", "gateway-ctl"}, strings.Fields(tc.typed)...)
			cmd := exec.CommandContext(t.Context(), bash, args...)
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != tc.want {
				t.Errorf("completes to %q (%v), want %q", got, err, tc.want)
			}
		})
	}
}
