package packaging

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var imageScripts = []string{"image/build", "image/mkosi.postinst.chroot", "image/mkosi.extra/usr/lib/gateway-image/console"}

func TestScriptsOfTheImageParseAndStopAtErrors(t *testing.T) {
	for _, f := range imageScripts {
		if out, err := exec.CommandContext(t.Context(), "sh", "-n", f).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", f, err, out)
		}
		if text := read(t, f); !strings.Contains(text, "\nset -e") {
			t.Errorf("%s goes on after an error", f)
		}
		if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("%s: mode %v, %v, want it executable", f, info.Mode(), err)
		}
	}
}

var mkosiLine = regexp.MustCompile(`^(?:|#.*|\[(Distribution|Output|Content)\]|[A-Z][A-Za-z]+=.*| +[a-z0-9.+-]+)$`)

func TestTheImageIsDebian13WithTheGateway(t *testing.T) {
	text := read(t, "image/mkosi.conf")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !mkosiLine.MatchString(line) {
			t.Errorf("image/mkosi.conf:%d is not understood: %q", i+1, line)
		}
	}
	for _, want := range []string{"Distribution=debian", "Release=trixie", "Format=disk", "Bootable=yes", "        gateway", "        openssh-server"} {
		if !slices.Contains(lines, want) {
			t.Errorf("image/mkosi.conf has no line %q", want)
		}
	}
	if !strings.Contains(text, "console=ttyS0") {
		t.Error("the image has no serial console")
	}
}

// Without mkosi the operator is told what to install, and has the package at least.
func TestTheImageSaysWhatItNeeds(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "image/build", "packaging/nfpm.yaml")
	bin := t.TempDir()
	for _, program := range []string{"sh", "dirname", "realpath", "cat"} {
		path, err := exec.LookPath(program)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, bin+"/"+program); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Env = []string{"PATH=" + bin}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "apt-get install mkosi") {
		t.Errorf("build = %v, and says %s", err, out)
	}
}
