package api

import (
	"fmt"
	"html"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// writeReference lists the operations for a reader. The SPA has a richer one; this
// works with nothing but a browser.
func writeReference(w io.Writer, doc *huma.OpenAPI) error {
	var b strings.Builder
	// line writes a line of the page; values are escaped.
	line := func(format string, values ...string) {
		escaped := make([]any, len(values))
		for i, v := range values {
			escaped[i] = html.EscapeString(v)
		}
		fmt.Fprintf(&b, format+"\n", escaped...)
	}
	title := doc.Info.Title + " " + doc.Info.Version
	line("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>%s</title>\n<h1>%s</h1>\n<p>%s</p>", title, title, doc.Info.Description)
	line(`<p>The same for programs: <a href="openapi.json">openapi.json</a>.</p>`)
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		item := doc.Paths[path]
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				writeOperation(line, op)
			}
		}
	}
	line("</html>")
	_, err := io.WriteString(w, b.String())
	return err
}

func writeOperation(line func(format string, values ...string), op *huma.Operation) {
	line("<h2>%s %s</h2>", op.Method, op.Path)
	line("<p>%s. For: %s.</p>", op.Summary, fmt.Sprint(op.Extensions["x-gateway-access"]))
	if op.Description != "" {
		line("<p>%s</p>", op.Description)
	}
	if len(op.Parameters) > 0 {
		line("<ul>")
		for _, p := range op.Parameters {
			said := ""
			if p.Description != "" {
				said = ": " + p.Description
			}
			line("<li><code>%s</code> (%s)%s</li>", p.Name, p.In, said)
		}
		line("</ul>")
	}
	line("<p>Answers: %s</p>", strings.Join(slices.Sorted(maps.Keys(op.Responses)), " "))
}
