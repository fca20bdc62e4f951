package chrony

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gateway/internal/component/componenttest"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
	"gateway/lab"
)

// stage writes the text where the checker finds it.
func stage(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	r := daemon.Rendering{Files: []daemon.File{{Path: ConfFile, Data: []byte(text)}}}
	if err := r.Stage(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTheDaemonRefuses(t *testing.T) {
	check := (&chronyd{exec: componenttest.Exec(t)}).check
	if err := check(t.Context(), stage(t, "# ours\nserver ntp.example.com\n# gw-sha256 123\n")); err != nil {
		t.Fatalf("a good file: %v", err)
	}
	secrets := filepath.Join(t.TempDir(), "secrets")
	if err := os.WriteFile(secrets, []byte("root:hunter2:0:0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ text, want string }{
		"a bad line is quoted from our file":           {"# ours\nserver ntp.example.com\nserver\nport 0\n", `chrony rejected the line "server";`},
		"the first line of all":                        {"nonsense\n", `chrony rejected the line "nonsense";`},
		"a file that it reads instead is never quoted": {"include " + secrets + "\n", "chrony rejected this configuration;"},
	} {
		err := check(t.Context(), stage(t, tc.text))
		f, ok := fault.Of(err)
		if !ok || f.Kind != fault.Invalid || f.Code != "refused_by_daemon" || !strings.Contains(f.Message, tc.want) {
			t.Errorf("%s: %v, want a fault with %q", name, err, tc.want)
			continue
		}
		if strings.Contains(f.Message, "hunter2") || strings.Contains(f.Message, "Fatal error") || strings.Contains(f.Message, "/dev/stdin") {
			t.Errorf("%s: the message has the daemon's own words: %s", name, f.Message)
		}
	}
}

func TestACheckThatCannotBeDone(t *testing.T) {
	missing := func(context.Context, sys.Command) (sys.Result, error) { return sys.Result{}, fs.ErrNotExist }
	dir := stage(t, "port 0\n")
	f, ok := fault.Of((&chronyd{exec: missing}).check(t.Context(), dir))
	if !ok || f.Kind != fault.Unavailable || !strings.Contains(f.Message, "install") {
		t.Errorf("without chrony: %v", f)
	}
	broken := func(context.Context, sys.Command) (sys.Result, error) { return sys.Result{}, errFake }
	if err := (&chronyd{exec: broken}).check(t.Context(), dir); !errors.Is(err, errFake) || fault.Is(err, fault.Invalid) {
		t.Errorf("a checker that cannot run: %v, want no word on the configuration", err)
	}
	if err := (&chronyd{exec: missing}).check(t.Context(), t.TempDir()); err == nil {
		t.Error("nothing was staged, and it passed")
	}
}

// gateway-api checks candidates as a user without any rights.
func TestAnybodyCanCheck(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become nobody")
	}
	root, err := lab.Root(t.Context())
	if err != nil {
		t.Skipf("no Debian 13 to take chronyd from: %v", err)
	}
	asNobody := func(ctx context.Context, c sys.Command) (sys.Result, error) {
		args := append([]string{"--library-path", filepath.Join(root, "usr/lib/x86_64-linux-gnu"), filepath.Join(root, c.Path)}, c.Args...)
		cmd := exec.CommandContext(ctx, filepath.Join(root, "lib64/ld-linux-x86-64.so.2"), args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		pipe, err := pipeOf(65534, c.Stdin)
		if err != nil {
			return sys.Result{}, err
		}
		defer pipe.Close()
		cmd.Stdin = pipe
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return sys.Result{}, &sys.ExitError{Path: c.Path, Code: exit.ExitCode(), Stderr: string(out)}
		}
		return sys.Result{}, err
	}
	check := (&chronyd{exec: asNobody}).check
	if err := check(t.Context(), stage(t, "server ntp.example.com\n")); err != nil {
		t.Errorf("a good file: %v", err)
	}
	if err := check(t.Context(), stage(t, "server\n")); !fault.Is(err, fault.Invalid) {
		t.Errorf("a bad file: %v", err)
	}
}

// pipeOf is a pipe that belongs to a user, as if they had made it, with data waiting in it.
func pipeOf(uid int, data []byte) (*os.File, error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = ours.Write(data)
	return theirs, errors.Join(err, ours.Close(), theirs.Chown(uid, uid))
}

// The checker and the running daemon must see the same directives before our file.
func TestTheUnitStartsChronyAsItIsChecked(t *testing.T) {
	unit, err := os.ReadFile("../../../../packaging/daemons/ntp/root/usr/lib/systemd/system/chrony.service.d/gateway.conf")
	if err != nil {
		t.Fatal(err)
	}
	_, command, found := strings.Cut(string(unit), "\nExecStart=\n")
	_, command, again := strings.Cut(command, "\nExecStart=!")
	command, _, _ = strings.Cut(command, "\nRestart=")
	if !found || !again {
		t.Fatalf("the drop-in does not replace ExecStart:\n%s", unit)
	}
	want := program + " $DAEMON_OPTS -r"
	for _, directive := range append(Directives(), "confdir "+filepath.Dir(ConfFile)) {
		want += " \\\n\t\"" + directive + "\""
	}
	if command != want {
		t.Errorf("the drop-in runs\n%s\nwant\n%s", command, want)
	}
}
