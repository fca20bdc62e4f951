package e2e

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image/png"
	"strings"
	"time"
)

var errNoPNG = errors.New("the QR code is no PNG of a useful size")

// isPNG holds a data URL against what an authenticator's camera needs.
func isPNG(url string) error {
	raw, found := strings.CutPrefix(url, "data:image/png;base64,")
	picture, err := base64.StdEncoding.DecodeString(raw)
	if !found || err != nil {
		return errNoPNG
	}
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return fmt.Errorf("%w: %w", errNoPNG, err)
	}
	if img.Bounds().Dx() < 100 {
		return errNoPNG
	}
	return nil
}

// service is an entry of GET /system/services.
type service struct {
	Name, Unit  string
	Installed   *bool
	ActiveState string     `json:"active_state"`
	EnteredAt   *time.Time `json:"entered_at"`
}

// services asks the API for the services, by name.
func (c *caller) services() map[string]service {
	c.t.Helper()
	list := data[struct{ Services []service }](c.get("/system/services"))
	out := map[string]service{}
	for _, s := range list.Services {
		out[s.Name] = s
	}
	return out
}

// mode is "600 gateway:gateway" for a file of the node.
func (a *appliance) mode(path string) string {
	a.t.Helper()
	return a.run("stat", "-c", "%a %U:%G", path)
}

// procStatus is a field of /proc/PID/status.
func (a *appliance) procStatus(pid, field string) string {
	a.t.Helper()
	for line := range strings.Lines(a.run("cat", "/proc/"+pid+"/status")) {
		if name, value, _ := strings.Cut(line, ":"); name == field {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	a.t.Fatalf("/proc/%s/status has no %s", pid, field)
	return ""
}
