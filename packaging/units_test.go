package packaging

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway/internal/capture"
)

// unit returns the settings of a unit file, in the order they are made: one of ours, or
// that of a daemon: "ntp/chrony.service.d/gateway.conf".
func unit(t *testing.T, name string) map[string][]string {
	t.Helper()
	settings := map[string][]string{}
	path := "units/" + name
	if strings.Contains(name, "/") {
		path = "daemons/" + strings.Replace(name, "/", "/root/usr/lib/systemd/system/", 1)
	}
	for line := range strings.Lines(read(t, path)) {
		key, value, found := strings.Cut(strings.TrimSpace(line), "=")
		if found && !strings.HasPrefix(key, "#") {
			settings[key] = append(settings[key], value)
		}
	}
	return settings
}

// Every one of our services has these; a unit without one needs a reason and a change here.
var hardening = []string{
	"NoNewPrivileges=yes",
	"PrivateTmp=yes",
	"PrivateDevices=yes",
	"ProtectSystem=strict",
	// ProtectProc=, ProtectKernelTunables= and ProtectControlGroups= each make systemd
	// leave /run writable, in spite of "strict".
	"ReadOnlyPaths=/run",
	"ProtectHome=yes",
	"ProtectClock=yes",
	"ProtectKernelTunables=yes",
	"ProtectKernelModules=yes",
	"ProtectKernelLogs=yes",
	"ProtectControlGroups=yes",
	"ProtectProc=invisible",
	"LockPersonality=yes",
	"RestrictNamespaces=yes",
	"RestrictRealtime=yes",
	"RestrictSUIDSGID=yes",
	"SystemCallArchitectures=native",
	"SystemCallFilter=@system-service",
	"SystemCallFilter=~@privileged @resources",
	"IPAddressDeny=any",
	"UMask=0077",
	"LimitCORE=0",
	"Restart=on-failure",
	"StartLimitIntervalSec=0",
}

var services = map[string][]string{
	"gateway-api.service": {
		"MemoryMax=512M", "Environment=GOMEMLIMIT=384MiB",
		"Type=notify", "User=gateway", "CapabilityBoundingSet=", "PrivateUsers=yes", "MemoryDenyWriteExecute=yes", "RemoveIPC=yes",
		"StateDirectory=gateway", "StateDirectoryMode=0700", "ReadWritePaths=/var/lib/gateway -/var/lib/haproxy/gateway", "IPAddressAllow=localhost",
		"RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
	},
	"gateway-scheduler.service": {
		"MemoryMax=512M", "Environment=GOMEMLIMIT=384MiB",
		"Type=notify", "User=gateway", "CapabilityBoundingSet=", "PrivateUsers=yes", "MemoryDenyWriteExecute=yes", "RemoveIPC=yes",
		"StateDirectory=gateway", "StateDirectoryMode=0700", "ReadWritePaths=/var/lib/gateway", "SocketBindDeny=any",
		"RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
	},
	"gateway-keys.service": {
		"Type=oneshot", "User=gateway", "CapabilityBoundingSet=", "PrivateUsers=yes", "PrivateNetwork=yes", "MemoryDenyWriteExecute=yes",
		"StateDirectory=gateway", "StateDirectoryMode=0700", "ReadWritePaths=/var/lib/gateway", "RestrictAddressFamilies=AF_UNIX",
	},
	"gateway-apply.service": {
		"Type=notify", "CapabilityBoundingSet=CAP_NET_ADMIN", "MemoryDenyWriteExecute=yes", "ProcSubset=pid",
		"RestrictAddressFamilies=AF_UNIX AF_NETLINK", "StateDirectory=gateway-apply", "RuntimeDirectoryPreserve=yes",
		"ReadWritePaths=/run/gateway-apply /var/lib/gateway-apply",
		"LoadCredential=master.key:/var/lib/gateway/master.key",
	},
	"gateway-firewall.service": {
		"Type=oneshot", "RemainAfterExit=yes", "DefaultDependencies=no", "Before=systemd-sysctl.service sysinit.target network-pre.target gateway-apply.service shutdown.target",
		"After=systemd-modules-load.service gateway-shut.service", "TimeoutStartSec=90s",
		"CapabilityBoundingSet=CAP_NET_ADMIN", "MemoryDenyWriteExecute=yes", "RestrictAddressFamilies=AF_UNIX AF_NETLINK",
		"StateDirectory=gateway-apply", "RuntimeDirectoryPreserve=yes",
		"ReadWritePaths=/run/gateway-apply /var/lib/gateway-apply -/etc/gateway/nftables",
	},
	"gateway-shut.service": {
		"Type=oneshot", "RemainAfterExit=yes", "DefaultDependencies=no", "Before=gateway-firewall.service systemd-sysctl.service sysinit.target network-pre.target shutdown.target",
		"CapabilityBoundingSet=CAP_NET_ADMIN", "MemoryDenyWriteExecute=yes", "RestrictAddressFamilies=AF_UNIX AF_NETLINK", "RuntimeDirectory=gateway-shut",
	},
	"gateway-forwarding.service": {
		"Type=oneshot", "CapabilityBoundingSet=CAP_NET_ADMIN", "MemoryDenyWriteExecute=yes", "RestrictAddressFamilies=AF_UNIX",
	},
	"gateway-database.service": {
		"Type=oneshot", "User=postgres", "CapabilityBoundingSet=", "PrivateNetwork=yes", "RestrictAddressFamilies=AF_UNIX",
	},
	"gateway-restore@.service": {
		"RefuseManualStop=yes", "RestartForceExitStatus=SIGHUP SIGINT SIGTERM SIGPIPE", // what is not confirmed is undone
		"Type=exec", "CapabilityBoundingSet=CAP_SETUID CAP_SETGID CAP_DAC_READ_SEARCH CAP_KILL", "MemoryDenyWriteExecute=yes", "StateDirectory=gateway-apply", "RuntimeDirectoryPreserve=yes",
		"ReadWritePaths=/run/gateway-apply /var/lib/gateway-apply /var/lib/gateway", "SystemCallFilter=@setuid @chown", "IPAddressAllow=localhost",
		"RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
	},
	"gateway-restore-resume.service": {
		"Type=notify", "ConditionPathExists=/var/lib/gateway-apply/restore/journal.json", "After=postgresql.service",
		"Before=gateway-database.service gateway-api.service gateway-scheduler.service", "CapabilityBoundingSet=CAP_SETUID CAP_SETGID CAP_DAC_READ_SEARCH CAP_KILL", "MemoryDenyWriteExecute=yes", "StateDirectory=gateway-apply", "RuntimeDirectoryPreserve=yes",
		"ReadWritePaths=/run/gateway-apply /var/lib/gateway-apply /var/lib/gateway", "SystemCallFilter=@setuid @chown", "IPAddressAllow=localhost",
		"RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
	},
	"gateway-verify@.service": {
		"Type=exec", "RuntimeMaxSec=1h", "CapabilityBoundingSet=CAP_SETUID CAP_SETGID CAP_DAC_READ_SEARCH CAP_KILL", "MemoryDenyWriteExecute=yes", "StateDirectory=gateway-apply", "RuntimeDirectoryPreserve=yes",
		"ReadWritePaths=/run/gateway-apply /var/lib/gateway-apply /var/lib/gateway", "SystemCallFilter=@setuid @chown", "IPAddressAllow=localhost",
		"RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
	},
	"gateway-capture@.service": {
		"Type=exec", "RuntimeMaxSec=330s", "DynamicUser=yes", "CapabilityBoundingSet=CAP_NET_RAW", "MemoryDenyWriteExecute=yes", "ProcSubset=pid",
		"RestrictAddressFamilies=AF_UNIX AF_PACKET", "StandardInput=socket",
	},
	"logs/gateway-logship.service": {
		"MemoryMax=192M", "Environment=GOMEMLIMIT=64MiB",
		"Type=exec", "User=gateway-logship", "SupplementaryGroups=systemd-journal", "CapabilityBoundingSet=", "PrivateUsers=yes", "MemoryDenyWriteExecute=yes", "RemoveIPC=yes",
		"StateDirectory=gateway-logship", "StateDirectoryMode=0700", "RuntimeDirectory=gateway-logship", "ReadWritePaths=/var/lib/gateway-logship /run/gateway-logship", "SocketBindDeny=any",
		"RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
	},
	"ntp/gateway-ntp-sync.service": {
		"Type=oneshot", "User=_chrony", "CapabilityBoundingSet=", "PrivateUsers=yes", "PrivateNetwork=yes", "MemoryDenyWriteExecute=yes",
		"ProcSubset=pid", "RestrictAddressFamilies=AF_UNIX", "ReadWritePaths=-/run/chrony", "TimeoutStartSec=20s",
	},
}

// excused are what single services do without.
var excused = map[string]string{
	"ntp/gateway-ntp-sync.service": "Restart=on-failure",        // an operator who asked for it is told, and asks again
	"gateway-scheduler.service":    "IPAddressDeny=any",         // it orders certificates from authorities anywhere
	"logs/gateway-logship.service": "IPAddressDeny=any",         // the receiver of the log may be anywhere
	"gateway-verify@.service":      "Restart=on-failure",        // the next backup is verified anew
	"gateway-capture@.service":     "Restart=on-failure",        // whoever asked for it is told
	"gateway-shut.service":         "Restart=on-failure",        // what waits for it must not start between two tries
	"gateway-firewall.service":     "Restart=on-failure",        // gateway-apply comes next and loads what it could not
	"gateway-forwarding.service":   "ProtectKernelTunables=yes", // its whole work is two of them
}

func TestServicesAreHardened(t *testing.T) {
	for name, own := range services {
		u := unit(t, name)
		for _, want := range slices.Concat(hardening, own) {
			if want == excused[name] {
				continue
			}
			key, value, _ := strings.Cut(want, "=")
			if !slices.Contains(u[key], value) {
				t.Errorf("%s: %s is %q, want %q among them", name, key, u[key], value)
			}
		}
		for _, key := range []string{"MemoryMax", "TasksMax"} {
			if len(u[key]) == 0 {
				t.Errorf("%s has no %s", name, key)
			}
		}
	}
}

// A daemon's own units are held to the same; what one does without is a line of its file
// "excused", with the reason behind it.
func TestUnitsOfDaemonsAreHardened(t *testing.T) {
	for _, name := range ofDaemons(t) {
		if services[name] != nil {
			continue
		}
		daemon, file, _ := strings.Cut(name, "/")
		excuses, _ := os.ReadFile("daemons/" + daemon + "/excused") // none where there is nothing to excuse
		u := unit(t, name)
		for _, want := range hardening {
			key, value, _ := strings.Cut(want, "=")
			if !slices.Contains(u[key], value) && !saysWhy(string(excuses), want, file) {
				t.Errorf("%s: %s is %q, want %q among them", name, key, u[key], value)
			}
		}
	}
}

// ofDaemons are the units that daemons bring, as unit takes them.
func ofDaemons(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("daemons/*/root/usr/lib/systemd/system/*.service")
	if err != nil || len(files) == 0 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, file := range files {
		daemon, _, _ := strings.Cut(strings.TrimPrefix(file, "daemons/"), "/")
		names = append(names, daemon+"/"+filepath.Base(file))
	}
	return names
}

// saysWhy reports whether a line says why the unit does without: setting (pattern of units: reason).
func saysWhy(lines, setting, unit string) bool {
	for line := range strings.Lines(lines) {
		why, of := strings.CutPrefix(line, setting+" (")
		pattern, _, said := strings.Cut(why, ": ")
		if match, err := filepath.Match(pattern, unit); of && said && err == nil && match {
			return true
		}
	}
	return false
}

// Each of these would quietly undo what is above.
func TestNothingWidensASandbox(t *testing.T) {
	for name := range services {
		u := unit(t, name)
		if len(u["CapabilityBoundingSet"]) != 1 || len(u["RestrictAddressFamilies"]) != 1 {
			t.Errorf("%s: one list of capabilities and of address families, not %q and %q", name, u["CapabilityBoundingSet"], u["RestrictAddressFamilies"])
		}
		ambient := []string{""}
		if name == "gateway-capture@.service" {
			ambient = []string{"CAP_NET_RAW"} // it is nobody's account, and has that of its one power
		}
		if a := u["AmbientCapabilities"]; len(a) > 0 && !slices.Equal(a, ambient) {
			t.Errorf("%s: AmbientCapabilities is %q", name, a)
		}
		// ExecPaths=/usr, which an all-embracing NoExecPaths=/ needs, mounts /usr writable.
		if len(u["ExecPaths"]) > 0 {
			t.Errorf("%s: ExecPaths makes %q writable", name, u["ExecPaths"])
		}
		var may []string // what is written down above, and no more
		for _, want := range services[name] {
			if paths, ok := strings.CutPrefix(want, "ReadWritePaths="); ok {
				may = append(may, paths)
			}
		}
		if !slices.Equal(u["ReadWritePaths"], may) {
			t.Errorf("%s may write to %q, want %q", name, u["ReadWritePaths"], may)
		}
	}
}

// What a daemon may add to the sandbox of gateway-apply: the folders of its files, the group
// that reads them, and the calls that give them to that group.
func TestDaemonsWidenTheSandboxByTheirFilesOnly(t *testing.T) {
	drops, err := filepath.Glob("daemons/*/root/usr/lib/systemd/system/gateway-*.d/*.conf")
	if err != nil || len(drops) < 4 {
		t.Fatalf("%q, %v", drops, err)
	}
	may := map[string]*regexp.Regexp{
		"Before":              regexp.MustCompile(`^[a-z0-9@.-]+\.service$`),
		"ReadWritePaths":      regexp.MustCompile(`^-/etc/[a-z0-9.-]+/[a-z0-9./-]+$`),
		"SupplementaryGroups": regexp.MustCompile(`^[a-z_-]+$`),
		"SystemCallFilter":    regexp.MustCompile(`^@chown$`),
	}
	for _, file := range drops {
		name, _, _ := strings.Cut(strings.TrimPrefix(file, "daemons/"), "/")
		if want := "gateway-apply.service.d/" + name + ".conf"; !strings.HasSuffix(file, want) {
			t.Errorf("%s is not %s", file, want)
		}
		for key, values := range unit(t, name+"/gateway-apply.service.d/"+name+".conf") {
			for _, v := range values {
				if strings.Contains(v, "..") || strings.HasPrefix(v, "-/etc/systemd/") || strings.HasPrefix(v, "-/etc/gateway/tls") {
					t.Errorf("%s: %s=%s", file, key, v)
				}
				if may[key] == nil || !may[key].MatchString(v) {
					t.Errorf("%s: %s=%s", file, key, v)
				}
			}
		}
	}
}

// Who may ask for packets is the API alone, and one capture runs at a time. Others have its account,
// and do not see the folder of the socket: the folder stays when the socket is made anew, and with it
// what hides it.
func TestCapturesAreTheAPIs(t *testing.T) {
	const socket = "/run/gateway/capture/capture.sock"
	if capture.Socket != socket {
		t.Errorf("gateway-api asks at %s, want %s", capture.Socket, socket)
	}
	u := unit(t, "gateway-capture.socket")
	for key, want := range map[string]string{
		"ListenStream": socket, "SocketUser": "gateway", "SocketMode": "0600", "Accept": "yes", "MaxConnections": "1",
	} {
		if !slices.Equal(u[key], []string{want}) {
			t.Errorf("%s is %q, want %q", key, u[key], want)
		}
	}
	if text := read(t, "units/tmpfiles.conf"); !strings.Contains(text, "d "+filepath.Dir(socket)+" 0750 root    gateway -") {
		t.Errorf("tmpfiles.conf does not make %s:\n%s", filepath.Dir(socket), text)
	}
	others := 0
	for name := range services {
		u := unit(t, name)
		if name == "gateway-api.service" || !slices.Contains(u["User"], "gateway") {
			continue
		}
		others++
		if !slices.Equal(u["InaccessiblePaths"], []string{filepath.Dir(socket)}) {
			t.Errorf("%s sees the socket: InaccessiblePaths=%q", name, u["InaccessiblePaths"])
		}
	}
	if others < 2 || len(unit(t, "gateway-api.service")["InaccessiblePaths"]) > 0 {
		t.Errorf("%d others have the account of the API; it sees the socket itself: InaccessiblePaths=%q", others, unit(t, "gateway-api.service")["InaccessiblePaths"])
	}
}

func TestTheAPIStartsWithoutADatabase(t *testing.T) {
	for _, name := range []string{"gateway-api.service", "gateway-scheduler.service"} {
		u := unit(t, name)
		if !strings.Contains(u["After"][0], "postgresql.service") {
			t.Errorf("%s starts in no order with PostgreSQL: After=%q", name, u["After"])
		}
		for _, key := range []string{"Requires", "Requisite", "BindsTo"} {
			if len(u[key]) > 0 {
				t.Errorf("%s: %s=%q", name, key, u[key])
			}
		}
	}
}

func TestASchedulerThatHangsIsStartedAnew(t *testing.T) {
	u := unit(t, "gateway-scheduler.service")
	if len(u["WatchdogSec"]) != 1 || !slices.Contains(u["Type"], "notify") || !slices.Contains(u["Restart"], "on-failure") {
		t.Errorf("WatchdogSec=%q, Type=%q, Restart=%q", u["WatchdogSec"], u["Type"], u["Restart"])
	}
}

func TestTheAPIDoesNotWaitForTheDatabaseToBeMade(t *testing.T) {
	after, before := unit(t, "gateway-api.service")["After"], unit(t, "gateway-database.service")["Before"]
	if strings.Contains(strings.Join(after, " "), "gateway-database") || strings.Contains(strings.Join(before, " "), "gateway-api") {
		t.Errorf("After=%q, Before=%q: the API is away for as long as that takes", after, before)
	}
}

// A node whose rules cannot be loaded boots closed, and does not forward.
func TestNothingForwardsBeforeTheRulesAreLoaded(t *testing.T) {
	if text := read(t, "units/sysctl.conf"); strings.Contains(text, "forward") {
		t.Errorf("systemd-sysctl.service switches forwarding on, rules or not:\n%s", text)
	}
	const (
		on   = "/usr/lib/systemd/systemd-sysctl /usr/lib/gateway/forwarding.conf"
		each = "/usr/lib/systemd/systemd-sysctl /etc/gateway/network/sysctl.conf"
	)
	if post := unit(t, "gateway-firewall.service")["ExecStartPost"]; !slices.Equal(post, []string{"+" + on, "-+" + each}) {
		t.Errorf("after its rules are loaded gateway-firewall does %q, want %q", post, on)
	}
	if start := unit(t, "gateway-forwarding.service")["ExecStart"]; !slices.Equal(start, []string{on, "-" + each}) {
		t.Errorf("gateway-forwarding does %q, want %q", start, on)
	}
	for _, key := range []string{"net.ipv4.ip_forward = 1", "net.ipv6.conf.all.forwarding = 1"} {
		if !strings.Contains(read(t, "units/forwarding.conf"), key) {
			t.Errorf("forwarding.conf lacks %q", key)
		}
	}
}

func TestWhatConfiguresTheNetworkWaitsForTheNodeToBeClosed(t *testing.T) {
	u := unit(t, "network.conf")
	folder := "/run/" + unit(t, "gateway-shut.service")["RuntimeDirectory"][0]
	if !slices.Equal(u["AssertPathExists"], []string{folder}) || !slices.Equal(u["After"], []string{"gateway-shut.service"}) {
		t.Errorf("network.conf is %q, want it to wait for %s", u, folder)
	}
	for _, name := range []string{"systemd-networkd", "networking", "ifup@", "NetworkManager"} {
		if want := "/usr/lib/systemd/system/" + name + ".service.d/gateway.conf"; !strings.Contains(read(t, "nfpm.yaml"), want) {
			t.Errorf("the package lacks %s", want)
		}
	}
}

func TestOnlyTheGroupReachesThePrivilegedProcess(t *testing.T) {
	u := unit(t, "gateway-apply.socket")
	for key, want := range map[string]string{
		"ListenStream": "/run/gateway/apply.sock", "SocketUser": "root", "SocketGroup": "gateway", "SocketMode": "0660",
	} {
		if !slices.Equal(u[key], []string{want}) {
			t.Errorf("%s = %q, want %q", key, u[key], want)
		}
	}
	if text := read(t, "units/tmpfiles.conf"); !strings.Contains(text, "d /run/gateway         0750 root    gateway -") {
		t.Errorf("tmpfiles.conf makes another /run/gateway:\n%s", text)
	}
}

func TestDebiansHAProxyRunsOurConfiguration(t *testing.T) {
	u := unit(t, "proxy/haproxy.service.d/gateway.conf")
	for key, want := range map[string]string{
		"Environment": "CONFIG=/etc/gateway/haproxy/haproxy.cfg", "NoNewPrivileges": "yes", "ProtectSystem": "strict",
		"ProtectHome": "yes", "PrivateTmp": "yes", "SystemCallFilter": "@system-service chroot",
		"Wants": "systemd-journald@gateway-access.service",
		// It is locked up there, and serves without that journal, too, nor does it need that somebody notes it.
		"ExecStartPost":     "-+/usr/lib/gateway/proxy-log $MAINPID",
		"BindReadOnlyPaths": "-/run/systemd/journal.gateway-access:/var/lib/haproxy/run/systemd/journal.gateway-access",
	} {
		if !slices.Equal(u[key], []string{want}) {
			t.Errorf("%s = %q, want %q", key, u[key], want)
		}
	}
}

// What it does is shown on a node: no line is lost at 3,000 a second.
func TestTheAccessLogHasBoundsAndNoRateLimit(t *testing.T) {
	text := read(t, "daemons/proxy/root/usr/lib/systemd/journald@gateway-access.conf.d/gateway.conf")
	for _, want := range []string{"\nSystemMaxUse=1G\n", "\nMaxRetentionSec=30day\n", "\nRateLimitIntervalSec=0\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the journal of the access log lacks %q", want)
		}
	}
}

// systemd-sysusers refuses a description with a colon, and then the whole package.
func TestAccountsHaveADescriptionThatIsTaken(t *testing.T) {
	files, err := filepath.Glob("daemons/*/root/usr/lib/sysusers.d/*.conf")
	if err != nil || len(files) == 0 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, file := range append(files, "units/sysusers.conf") {
		for _, m := range regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(regexp.MustCompile(`(?m)^#.*$`).ReplaceAllString(read(t, file), ""), -1) {
			if strings.Contains(m[1], ":") {
				t.Errorf("%s: %q has a colon", file, m[1])
			}
		}
	}
}

// gateway-apply may not write into the folders of systemd: links lead from there to its files. They are read after our own
// defaults and after files that operators have there by the names of the guide.
func TestTheBoundsOfTheJournalsAreRead(t *testing.T) {
	text := read(t, "nfpm.yaml")
	for file, link := range map[string]string{
		"/etc/gateway/logs/journald.conf": "/usr/lib/systemd/journald.conf.d/zz-gateway.conf",
		"/etc/gateway/logs/access.conf":   "/usr/lib/systemd/journald@gateway-access.conf.d/zz-gateway.conf",
	} {
		if want := "{src: " + file + ", dst: " + link + ", type: symlink}"; !strings.Contains(text, want) {
			t.Errorf("nfpm.yaml lacks %s", want)
		}
	}
	if text := read(t, "daemons/logs/postrm"); !strings.Contains(text, "give_back systemd-journald.service") {
		t.Error("after a removal journald keeps to our bounds")
	}
}

// The directives are held against those of the checker by package ntp.
func TestDebiansChronyRunsOurConfiguration(t *testing.T) {
	u := unit(t, "ntp/chrony.service.d/gateway.conf")
	for key, want := range map[string]string{
		"StartLimitIntervalSec": "0", "Restart": "on-failure", "NoNewPrivileges": "yes", "LimitCORE": "0",
	} {
		if !slices.Equal(u[key], []string{want}) {
			t.Errorf("%s = %q, want %q", key, u[key], want)
		}
	}
	if start := u["ExecStart"]; len(start) != 2 || start[0] != "" || !strings.HasPrefix(start[1], "!/usr/sbin/chronyd $DAEMON_OPTS -r ") {
		t.Errorf("ExecStart = %q, want it emptied first, and the operator's options kept", start)
	}
	if text := read(t, "daemons/ntp/postrm"); !strings.Contains(text, "rm -f /etc/chrony/conf.d/gateway.conf") {
		t.Error("after a removal Debian's chrony would read our file")
	}
}

// What the sandbox does to it is shown on a node by package dns.
func TestDebiansUnboundRunsInASandbox(t *testing.T) {
	u := unit(t, "dns/unbound.service.d/gateway.conf")
	for key, want := range map[string]string{
		"StartLimitIntervalSec": "0", "Restart": "on-failure", "NoNewPrivileges": "yes", "LimitCORE": "0", "ProtectSystem": "strict", "ProtectHome": "yes",
		"PrivateTmp": "yes", "MemoryDenyWriteExecute": "yes", "SystemCallFilter": "@system-service", "ReadWritePaths": "/run /var/lib/unbound",
		"CapabilityBoundingSet": "CAP_CHOWN CAP_NET_BIND_SERVICE CAP_SETGID CAP_SETUID CAP_SYS_RESOURCE",
	} {
		if !slices.Equal(u[key], []string{want}) {
			t.Errorf("%s = %q, want %q", key, u[key], want)
		}
	}
	if text := read(t, "daemons/dns/postrm"); !strings.Contains(text, "rm -f /etc/unbound/unbound.conf.d/gateway.conf") {
		t.Error("after a removal Debian's unbound would read our file")
	}
}

// What it does there is shown on a node by package dhcp.
func TestDebiansKeaRunsOurConfiguration(t *testing.T) {
	u := unit(t, "dhcp/kea-dhcp4-server.service.d/gateway.conf")
	for key, want := range map[string]string{
		"StartLimitIntervalSec": "0", "Restart": "on-failure", "LimitCORE": "0", "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes",
		"CapabilityBoundingSet": "CAP_NET_BIND_SERVICE CAP_NET_RAW", "Wants": "gateway-dhcp-control.socket",
	} {
		if !slices.Equal(u[key], []string{want}) {
			t.Errorf("%s = %q, want %q", key, u[key], want)
		}
	}
	if start := u["ExecStart"]; !slices.Equal(start, []string{"", "/usr/sbin/kea-dhcp4 -c /etc/kea/gateway/kea-dhcp4.conf"}) {
		t.Errorf("ExecStart = %q", start)
	}
	if u := unit(t, "dhcp/gateway-dhcp-control.socket"); !slices.Equal(u["SocketMode"], []string{"0600"}) || !slices.Equal(u["SocketUser"], []string{"root"}) {
		t.Errorf("others than root reach the server: %q", u)
	}
	if text := read(t, "daemons/dhcp/postrm"); !strings.Contains(text, "rm -rf /etc/kea/gateway") {
		t.Error("a removal leaves our file")
	}
}
