package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gateway/tools/bar"
)

// layout is what web/e2e/geometry.mjs found in the pages.
type layout struct {
	Overlaps, Cut, Sideways, Axe []string
	Broken                       []string // faults of a page's own code, as the console has them
	Looks, Audits                int
	Pages                        []string // with their tabs and forms
	Control                      struct{ Before, After faults }
}

// faults counts those of each kind.
type faults struct{ Overlaps, Cut, Sideways, Axe, Broken int }

const (
	layoutLimit = 6 * time.Hour // all of it, with axe at every look
	fewestPages = 50            // of some sixty with their tabs
)

// Every page holds its texts: at all widths, in both themes and languages, with no data, much
// of it, long names, none to be had, and with the whole navigation. What the API answers is
// made up of its OpenAPI document, so this needs no node.
func TestBarPeople03Geometry(t *testing.T) {
	bar.NotShort(t)
	web := webFolder(t)
	extent := [...]string{"gate", "ci", "torture"}[bar.GateSize(0, 1, 2)]
	ctx, cancel := context.WithTimeout(t.Context(), layoutLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", filepath.Join(web, "e2e", "geometry.mjs"))
	var out layout
	play(t, cmd, "geometry", deeds{}, &out, append(shots(t), "BASE=http://localhost", "EXTENT="+extent)...)

	for what, found := range map[string][]string{"overlap": out.Overlaps, "cut off": out.Cut, "sideways": out.Sideways, "axe": out.Axe, "broken": out.Broken} {
		for _, one := range found {
			t.Errorf("%s: %s", what, one)
		}
	}
	if len(out.Pages) < fewestPages || out.Audits == 0 {
		t.Errorf("only %d pages were looked at, and %d times with axe: %v", len(out.Pages), out.Audits, out.Pages)
	}
	if want := (faults{1, 1, 1, 1, 1}); out.Control.Before != (faults{}) || out.Control.After != want {
		t.Errorf("of the faults on purpose %+v were found, and %+v without them; want %+v, and none: nothing can be said about the others",
			out.Control.After, out.Control.Before, want)
	}
	figure := fmt.Sprintf("%d looks at %d pages, tabs and forms: %d overlaps, %d cut, %d sideways, %d broken; axe %d in %d; control found %+v",
		out.Looks, len(out.Pages), len(out.Overlaps), len(out.Cut), len(out.Sideways), len(out.Broken), len(out.Axe), out.Audits, out.Control.After)
	bar.Report(t, "people", 3, figure, "0 overlaps, 0 cut, 0 sideways, 0 broken, axe 0 serious", !t.Failed())
}
