package api

import (
	_ "embed"
	"html/template"
)

//go:embed reference.html
var referencePage string

// reference lists the operations for a reader. The SPA has a richer one; this
// works with nothing but a browser.
var reference = template.Must(template.New("reference").Parse(referencePage))
