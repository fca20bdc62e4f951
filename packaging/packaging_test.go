// Package packaging holds the Debian package: what is installed where, the units and
// their sandboxes, and the scripts that install, upgrade and remove. Its tests read
// these files; what they do on a machine is left to the stories in lab/e2e.
package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway/packaging/packagingtest"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var (
	contentLine = regexp.MustCompile(`(?m)^  - \{(.*)\}$`)
	contentItem = regexp.MustCompile(`(src|dst|type|mode): ([^,{}]+)`)
)

// contents returns the entries of nfpm.yaml, which are one line each.
func contents(t *testing.T) []map[string]string {
	t.Helper()
	var all []map[string]string
	for _, line := range contentLine.FindAllStringSubmatch(read(t, "nfpm.yaml"), -1) {
		entry := map[string]string{}
		for _, item := range contentItem.FindAllStringSubmatch(line[1], -1) {
			entry[item[1]] = item[2]
		}
		all = append(all, entry)
	}
	if len(all) == 0 {
		t.Fatal("nfpm.yaml has no contents that this test can read")
	}
	return all
}

func TestWhatIsPackagedIsThere(t *testing.T) {
	for _, c := range contents(t) {
		if c["type"] == "tree" || c["type"] == "symlink" {
			continue // as packaging/assemble makes it, with its modes; a link has none
		}
		if c["mode"] == "" {
			t.Errorf("%s: say its mode; that of the checkout is by chance", c["dst"])
		}
		if c["type"] == "dir" {
			continue
		}
		source := filepath.Join("..", c["src"])
		if program, ok := strings.CutPrefix(c["src"], "dist/bin/"); ok {
			source = filepath.Join("..", "cmd", program)
		} else if strings.HasPrefix(c["src"], "dist/") {
			continue // made by "make deb"
		}
		if _, err := os.Stat(source); err != nil {
			t.Errorf("%s: %v", c["dst"], err)
		}
	}
}

func TestWhatIsThereIsPackaged(t *testing.T) {
	text := read(t, "nfpm.yaml")
	for _, pattern := range []string{"units/*", "scripts/*", "doc/*", "*.nft"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, f := range files {
			if !strings.Contains(text, "packaging/"+f) && !strings.Contains(text, "dist/package/"+filepath.Base(f)) {
				t.Errorf("nfpm.yaml does not mention %s", f)
			}
		}
	}
}

func TestManualAndCompletionAreInstalled(t *testing.T) {
	root := filepath.Join(packagingtest.Assemble(t), "root")
	page, err := exec.CommandContext(t.Context(), "gzip", "-dc", filepath.Join(root, "usr/share/man/man8/gateway-ctl.8.gz")).Output()
	if err != nil || string(page) != read(t, "man/gateway-ctl.8") {
		t.Errorf("the manual in the package is not packaging/man/gateway-ctl.8 (%v)", err)
	}
	completion := filepath.Join(root, "usr/share/bash-completion/completions/gateway-ctl")
	if read(t, completion) != read(t, "completion/gateway-ctl") {
		t.Error("the completion in the package is not packaging/completion/gateway-ctl")
	}
	for _, f := range []string{completion, filepath.Join(root, "usr/share/man/man8/gateway-ctl.8.gz")} {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%s has mode %v (%v), want 0644", f, info.Mode(), err)
		}
	}
}

func TestOperatorsFilesAreConffiles(t *testing.T) {
	for _, c := range contents(t) {
		if strings.HasPrefix(c["dst"], "/etc/") && c["type"] != "dir" && c["type"] != "config|noreplace" {
			t.Errorf("%s is of type %q, so an upgrade would overwrite it", c["dst"], c["type"])
		}
	}
}

// The packager has the last word on nfpm.yaml, so let it build a package of stand-ins.
func TestThePackageBuilds(t *testing.T) {
	nfpm, err := exec.LookPath("nfpm")
	if err != nil {
		home, _ := os.UserHomeDir()
		nfpm = filepath.Join(home, "go", "bin", "nfpm")
	}
	if _, err := os.Stat(nfpm); err != nil {
		t.Skip("nfpm is not installed: make tools")
	}
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "packaging"), os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"CHANGELOG.md", "dist/third-party-notices.txt", "dist/sbom.cdx.json", "dist/bin/gateway", "dist/bin/gateway-apply", "dist/bin/gateway-capture", "dist/bin/gateway-logship", "dist/bin/gateway-squid-lists",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("stand-in\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	assemble := exec.CommandContext(t.Context(), "packaging/assemble")
	assemble.Dir = root
	if out, err := assemble.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), nfpm, "package", "-f", "dist/package/nfpm.yaml", "-p", "deb", "-t", root)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "VERSION=1.2.3", "ARCH=arm64")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(root, "gateway_1.2.3_arm64.deb")); err != nil {
		t.Error(err)
	}
}

func TestScriptsParseAndStopAtErrors(t *testing.T) {
	files, _ := filepath.Glob("scripts/*")
	whole := packagingtest.Assemble(t) // with the lines of the daemons
	files = append(files, "assemble", whole+"/postinst", whole+"/prerm", whole+"/postrm")
	programs, _ := filepath.Glob(whole + "/root/usr/lib/gateway/*")
	for _, f := range programs {
		if strings.HasPrefix(read(t, f), "#!/bin/sh") {
			files = append(files, f)
		}
	}
	for _, f := range files {
		if out, err := exec.CommandContext(t.Context(), "sh", "-n", f).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", f, err, out)
		}
		if text := read(t, f); !strings.Contains(text, "\nset -e") {
			t.Errorf("%s goes on after an error", f)
		}
	}
}

func TestScriptsStartNothingWithoutSystemd(t *testing.T) {
	for _, f := range []string{"scripts/postinst", "scripts/prerm", "scripts/postrm"} {
		if !strings.Contains(read(t, f), "if [ -d /run/systemd/system ]; then") {
			t.Errorf("%s does not ask whether systemd runs, so it fails in a chroot", f)
		}
	}
}

func TestHAProxyIsCheckedBeforeItIsTouched(t *testing.T) {
	text := read(t, "daemons/proxy/postinst")
	check, act := strings.Index(text, "haproxy -c "), strings.Index(text, "deb-systemd-invoke reload haproxy")
	if check < 0 || act < check {
		t.Errorf("the check is at %d, the reload at %d of its postinst", check, act)
	}
}

func TestManagementPort(t *testing.T) {
	lines := strings.Split(read(t, "daemons/proxy/root/usr/lib/gateway/haproxy.cfg"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	for _, want := range []string{
		"bind 0.0.0.0:3443 ssl crt /etc/gateway/tls/management.pem alpn h2,http/1.1",
		"bind [::]:3443 v6only ssl crt /etc/gateway/tls/management.pem alpn h2,http/1.1",
		"ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets",
		"http-request del-header Forwarded",
		"http-request del-header X-Forwarded- -m beg",
		"http-request set-header X-Forwarded-For %[src]",
		"http-request set-header X-Forwarded-Proto https",
		"http-request set-header X-Real-IP %[src]",
		"option http-buffer-request",
		"server api unix@/gateway/api.sock maxconn 512",
		"timeout client 60s",
		"timeout server 70s",
		"timeout http-request 10s",
		"option idle-close-on-response",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("haproxy.cfg lacks %q", want)
		}
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "http-request set-header Host") {
			t.Errorf("haproxy.cfg rewrites the name the API checks origins against: %s", line)
		}
	}
}

// shows LIM-01
func TestTunnelsMayStayOpenForAnHour(t *testing.T) {
	_, backend, found := strings.Cut(read(t, "daemons/proxy/root/usr/lib/gateway/haproxy.cfg"), "\nbackend api\n")
	if !found || !strings.Contains(backend, "\ttimeout tunnel 1h\n") {
		t.Errorf("the backend of the management API is %q", backend)
	}
}

func TestErrorsOfTheProxyLookLikeTheAPIs(t *testing.T) {
	text := read(t, "daemons/proxy/root/usr/lib/gateway/haproxy.cfg")
	for _, status := range []string{"500", "502", "503", "504"} {
		line := regexp.MustCompile(`(?m)^\thttp-error status ` + status + ` .*$`).FindString(text)
		for _, want := range []string{
			"content-type application/json", "hdr Cache-Control no-store",
			`{"data":null,"error":{"code":"`, `","fields":[]}}'`,
		} {
			if !strings.Contains(line, want) {
				t.Errorf("the answer %s lacks %q: %s", status, want, line)
			}
		}
	}
}
