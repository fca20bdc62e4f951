package e2e

import (
	"bytes"
	"encoding/base64"
	"strings"

	"gateway/internal/component/diag/bundle"
)

// supportBundle is what an operator sends to somebody else: by the API, and from the node itself.
const supportBundle = "the support bundle"

// throughSupport makes bundles of what the node was sent, and returns all of their files. Its control is a name in the
// configuration, and so in the history and in the files of the resolver.
func (a *aviary) throughSupport(c *caller) string {
	a.t.Helper()
	control := a.control("control in a zone's name")
	c.post("/dns/zones", object{"name": control + ".example.com", "forward_to": []string{}}).want(201)
	const file = "/root/support.tar.gz"
	a.run("gateway-ctl", "support-bundle", file)
	local, err := base64.StdEncoding.DecodeString(a.run("base64", "--wrap=0", file))
	a.lab.Must(err)
	a.run("rm", file)
	var text strings.Builder
	for _, data := range [][]byte{c.get("/diagnostics/support-bundle").want(200).body, local} {
		files, err := bundle.Unpack(bytes.NewReader(data))
		a.lab.Must(err)
		about, err := bundle.ManifestOf(files)
		a.lab.Must(err)
		for _, f := range about.Files {
			if f.Error != "" {
				a.t.Logf("%s of the support bundle by %s: %s", f.Name, about.MadeBy, f.Error)
			}
			text.WriteString(f.Name + "\n" + string(files[f.Name]) + "\n")
		}
		// Where secrets would be: a bundle without them shows nothing.
		for name, part := range map[string]string{
			"configuration.yaml": control, "change/changes.json": control, "change/files/dns.txt": control, "logs/api.log": "gateway-api",
		} {
			if !strings.Contains(string(files[name]), part) {
				a.t.Errorf("%s of the support bundle by %s lacks %q: %.200s", name, about.MadeBy, part, files[name])
			}
		}
	}
	return text.String()
}
