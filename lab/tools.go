package lab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// hostTools are the programs a lab starts on the host, by Debian package.
var hostTools = map[string]string{
	"debootstrap":    "debootstrap",
	"systemd-nspawn": "systemd-container",
	"ip":             "iproute2",
	"nsenter":        "util-linux",
	"unshare":        "util-linux",
}

// checkHost says in one sentence what keeps this host from running a lab.
func checkHost() error {
	if os.Geteuid() != 0 {
		return errors.New("a lab needs root: it makes namespaces and mounts")
	}
	var missing []string
	for tool, pkg := range hostTools {
		if _, err := exec.LookPath(tool); err != nil {
			missing = append(missing, pkg)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("the host lacks packages: apt-get install %s", strings.Join(missing, " "))
	}
	return nil
}
