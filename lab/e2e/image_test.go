package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"gateway/lab"
)

// imageRecipe is raised whenever what setUpImage does changes.
const imageRecipe = "1"

// setUpImage is the disk of a node called gw1 on "lan" with the package installed and the
// first administrator made. Installing costs more than many a story: those about other
// things start from here.
func setUpImage(t *testing.T, deb string) string {
	t.Helper()
	sum := sha256.New()
	f, err := os.Open(deb)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(sum, f); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(sum, imageRecipe, firstAdmin)
	image, err := lab.Image(t.Context(), hex.EncodeToString(sum.Sum(nil)[:6]), func(l *lab.Lab) (*lab.Node, error) {
		ctx := t.Context()
		node, err := l.StartNode(ctx, "gw1")
		client, err2 := l.StartClient(ctx, "c1")
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
		a := &appliance{t: t, lab: l, node: node, client: client}
		defer a.tellOnFailure()
		a.install(deb)
		a.setUp(firstAdmin)
		c := a.signedIn(firstAdmin)
		a.settles(c, patience)
		c.post("/auth/logout", nil).want(200)
		return node, nil
	})
	if err != nil {
		t.Fatalf("make the image of a node: %v", err)
	}
	return image
}

// startSetUp starts a node that is set up, and a client beside it in "lan". More networks are
// only cables to it: no row tells of them.
func startSetUp(t *testing.T, l *lab.Lab, more ...string) *appliance {
	t.Helper()
	deb := firstDeb(t)
	ctx := context.Background() // it may outlive the test that happens to be first
	node, err := l.StartNode(ctx, "gw1", lab.On(append([]string{"lan"}, more...)...), lab.From(setUpImage(t, deb)))
	client, err2 := l.StartClient(ctx, "c1")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	a := &appliance{t: t, lab: l, node: node, client: client, admin: firstAdmin, version: versionOf(t, deb)}
	a.answers()
	return a
}
