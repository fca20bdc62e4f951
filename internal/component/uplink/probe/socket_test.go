package probe_test

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/component/uplink/probe"
	"gateway/lab"
)

// asNobody has this test run once more, as somebody without a privilege.
const asNobody = "UPLINK_PROBE_AS_NOBODY"

// askItself asks the loopback interface, by both families.
func askItself() error {
	for _, at := range []string{"127.0.0.1", "::1"} {
		s, err := probe.Open(multiwan.Target{Interface: "lo", Address: netip.MustParseAddr(at)})
		if err != nil {
			return err
		}
		defer s.Close()
		// The kernel begins to note times a little after it is asked to.
		answered, from := false, time.Now()
		for seq := uint64(1); !answered && time.Since(from) < 5*time.Second; seq++ {
			if err := s.Send(seq); err != nil {
				return err
			}
			<-time.After(50 * time.Millisecond)
			err := s.Receive(func(got uint64, at time.Time) { answered = got == seq && time.Since(at) > 40*time.Millisecond })
			if err != nil {
				return err
			}
		}
		if !answered {
			return fmt.Errorf("%s does not answer, or the kernel does not say when", at)
		}
	}
	return nil
}

func TestAProbeNeedsNoPrivilege(t *testing.T) {
	if os.Getenv(asNobody) != "" {
		if err := askItself(); err != nil || os.Getuid() == 0 {
			t.Fatal(os.Getuid(), err)
		}
		return
	}
	space := lab.NewSpace(t)
	write(t, space, "net/ipv4/ping_group_range", "0 2147483647")
	program, err := os.ReadFile("/proc/self/exe") // nobody may enter the folder that it is in
	if err != nil {
		t.Fatal(err)
	}
	copied, err := os.CreateTemp("/tmp", "probe")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(copied.Name()) })
	if _, err := copied.Write(program); err != nil {
		t.Fatal(err)
	}
	if err := copied.Chmod(0o755); err != nil {
		t.Fatal(err)
	}
	copied.Close()
	err = space.Do(func() error {
		c := exec.Command(copied.Name(), "-test.run=^TestAProbeNeedsNoPrivilege$")
		c.Env, c.Dir = []string{asNobody + "=1"}, "/"
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := c.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w", out, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
