package packetfilter

import (
	"bytes"
	"fmt"
	"os/exec"
	"testing"

	"gateway/lab"
)

// kernel is a network of its own, with Debian 13's nft to fill its tables.
type kernel struct {
	*lab.Space
	nft []string
}

func newKernel(t testing.TB) *kernel {
	t.Helper()
	return &kernel{Space: lab.NewSpace(t), nft: lab.InRoot(t, "", "/usr/sbin/nft")}
}

// run gives nft a text and answers what it printed.
func (k *kernel) run(input []byte, args ...string) (string, error) {
	var out, errors bytes.Buffer
	err := k.Do(func() error {
		argv := append(k.nft[:len(k.nft):len(k.nft)], args...)
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &errors
		return cmd.Run()
	})
	if err != nil {
		return "", fmt.Errorf("nft %q: %w: %.2000s", args, err, errors.String())
	}
	return out.String(), nil
}

// load replaces the table by a policy's text.
func (k *kernel) load(text Text) error {
	_, err := k.run(append(text.Rules[:len(text.Rules):len(text.Rules)], text.Elements...), "-f", "-")
	return err
}

// mustLoad fails the test when a policy cannot be loaded.
func (k *kernel) mustLoad(t testing.TB, text Text) {
	t.Helper()
	if err := k.load(text); err != nil {
		t.Fatalf("%v\n%s", err, text.Rules)
	}
}
