package netstate

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"gateway/internal/process"
)

// The settings of an interface that follow from its role, below net/, and what an interface
// has that nobody set up. Debian's systemd makes rp_filter and promote_secondaries so.
var usual = map[string]string{
	"ipv4/rp_filter": "2", "ipv4/ignore_routes_with_linkdown": "0", "ipv4/promote_secondaries": "1",
	"ipv4/send_redirects": "1", "ipv4/accept_redirects": "1",
	"ipv6/accept_ra": "1", "ipv6/autoconf": "1", "ipv6/use_tempaddr": "0", "ipv6/ra_defrtr_metric": "1024",
	"ipv6/keep_addr_on_down": "0", "ipv6/accept_redirects": "1",
}

// roleSettings are what a role sets; nothing is set for none.
func roleSettings(role string) map[string]string {
	if role == "" {
		return nil
	}
	out := map[string]string{
		"ipv6/keep_addr_on_down": "1", "ipv4/promote_secondaries": "1",
		"ipv4/send_redirects": "0", "ipv4/accept_redirects": "0", "ipv6/accept_redirects": "0",
	}
	if role != "wan" {
		out["ipv6/accept_ra"], out["ipv6/autoconf"] = "0", "0"
		return out
	}
	// A router takes no advertisements unless told twice (2). Replies may go another way than
	// requests come where there are two providers: loose filtering (2).
	out["ipv6/accept_ra"], out["ipv6/use_tempaddr"] = "2", "0"
	out["ipv4/rp_filter"], out["ipv4/ignore_routes_with_linkdown"] = "2", "1"
	// Advertised default routes have the metric that static ones have if none is given, which
	// makes them take turns, or the kernel refuse the static one. What is configured wins.
	out["ipv6/ra_defrtr_metric"] = "2048"
	return out
}

// settingKey is the kernel's path of a setting. Names of interfaces have dots, so it has slashes.
func settingKey(setting, link string) string {
	family, name, _ := strings.Cut(setting, "/")
	return "net/" + family + "/conf/" + link + "/" + name
}

// sysctls are what a router sets per interface, by its role. An interface that is not there
// yet is none of an error (-).
func sysctls(c Config) []byte {
	var b strings.Builder
	b.WriteString("# Set by gateway-sysctl.service, after the system's own. Edits are overwritten.\n")
	for _, l := range c.Links {
		values := roleSettings(l.Role)
		for _, s := range slices.Sorted(maps.Keys(values)) {
			fmt.Fprintf(&b, "-%s = %s\n", settingKey(s, l.Name), values[s])
		}
	}
	return []byte(b.String())
}

// remembered marks a setting that is ours in the file of those to take back.
const remembered = "#set "

// takenBack is a file like that of sysctls, with the settings that were ours and are not in
// now, at their usual values; those in now are remembered in it. before is the last such file,
// and old what was set, as far as it is known.
func takenBack(before, old, now []byte) []byte {
	ours := map[string]bool{}
	for _, key := range settingsOf(now) {
		ours[key] = true
	}
	all := slices.Concat(settingsOf(before), settingsOf(old), settingsOf(now))
	slices.Sort(all)
	var b strings.Builder
	for _, key := range slices.Compact(all) {
		parts := strings.Split(key, "/")
		value, known := usual[parts[1]+"/"+parts[4]]
		switch {
		case ours[key]:
			b.WriteString(remembered + key + "\n")
		case known:
			fmt.Fprintf(&b, "-%s = %s\n", key, value)
		}
	}
	return []byte(b.String())
}

// settingsOf are the keys in a file.
func settingsOf(data []byte) (keys []string) {
	for line := range strings.Lines(string(data)) {
		line, set := strings.CutPrefix(strings.TrimSpace(line), remembered)
		line, lenient := strings.CutPrefix(line, "-")
		key, _, _ := strings.Cut(line, " ")
		if parts := strings.Split(key, "/"); (set || lenient) && len(parts) == 5 {
			keys = append(keys, key)
		}
	}
	return keys
}

const (
	// TakenBackPath has what gateway-sysctl.service takes back. It ends with the kernel's own.
	TakenBackPath = "/run/gateway-apply/network-sysctl.conf"
	// tuneWait bounds how long a change waits for the service.
	tuneWait = 10 * time.Second
)

// tune has the kernel take the settings, and take back those of before. What is to be taken
// back is on disk before it is tried, and until it was done.
func (n *network) tune(ctx context.Context, old []byte) error {
	if n.Sysctl == nil {
		return nil
	}
	n.tuning.Lock()
	defer n.tuning.Unlock()
	n.mu.Lock()
	now := n.sysctls
	n.mu.Unlock()
	before, err := os.ReadFile(n.takenBack)
	if err != nil {
		before = nil // nothing was set since the boot, or nobody knows
	}
	if err := os.WriteFile(n.takenBack, takenBack(before, old, now), 0o600); err != nil {
		return fmt.Errorf("remember the router's sysctls: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, tuneWait)
	defer cancel()
	if err := n.Sysctl(ctx); err != nil {
		return fmt.Errorf("set the router's sysctls: %w", err)
	}
	if err := os.WriteFile(n.takenBack, takenBack(nil, nil, now), 0o600); err != nil {
		return fmt.Errorf("remember the router's sysctls: %w", err)
	}
	return nil
}

// tuneAsked tunes whenever it was asked for, until it is done.
func (n *network) tuneAsked(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.pending:
		}
		if err := n.tune(ctx, nil); err != nil {
			n.Log.WarnContext(ctx, "look at the network", "err", err)
			process.Pause(ctx, recheckEvery)
			n.askSysctl()
		}
	}
}

// askSysctl has background tune.
func (n *network) askSysctl() {
	if n.Sysctl != nil {
		process.Notify(n.pending)
	}
}

// retune asks for the settings of links that are new: the kernel gave them its own.
func (n *network) retune(have Kernel) {
	roles, links := map[string]bool{}, map[string]int{}
	for _, l := range n.want.Links {
		roles[l.Name] = l.Role != ""
	}
	fresh := false
	for _, l := range have.Links {
		if roles[l.Name] {
			links[l.Name] = l.Index
			fresh = fresh || n.tuned[l.Name] != l.Index
		}
	}
	n.tuned = links
	if fresh {
		n.askSysctl()
	}
}
