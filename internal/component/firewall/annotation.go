package firewall

import (
	"fmt"
	"strings"

	"gateway/internal/fault"
	"gateway/internal/value"
)

// complete fills in what was not given: what is there already.
func (a *Annotation) complete(p *fault.Problems, text string, labels []string) {
	if a.Note == nil {
		a.Note = &text
	}
	if a.Labels == nil {
		labels = append([]string{}, labels...)
		a.Labels = &labels
	}
	a.judge(p)
}

func (a *Annotation) settle() error {
	var p fault.Problems
	a.judge(&p)
	return p.Err()
}

// judge also has each label once.
func (a *Annotation) judge(p *fault.Problems) {
	if a.Note != nil {
		note(p, "note", *a.Note)
	}
	if a.Labels == nil {
		return
	}
	seen, kept := map[string]bool{}, []string{}
	for i, label := range *a.Labels {
		label = strings.TrimSpace(label)
		if err := value.Line(label); err != nil {
			p.AddError(fmt.Sprintf("labels[%d]", i), err)
		}
		if label == "" || len(label) > 64 {
			p.Add(fmt.Sprintf("labels[%d]", i), "must have 1 to 64 characters")
		}
		if !seen[label] {
			kept = append(kept, label)
		}
		seen[label] = true
	}
	a.Labels = &kept
}
