package component

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/secret"
)

// Set is the list of parts, seen as those that render files for a daemon. It is what
// package change asks before it stores anything.
type Set struct {
	Parts  []Component
	Unseal Unseal
}

// Find returns the part with that name, if it renders files.
func (s Set) Find(name string) (Component, bool) {
	i := slices.IndexFunc(s.Parts, func(c Component) bool { return c.Name == name && c.Render != nil })
	if i < 0 {
		return Component{}, false
	}
	return s.Parts[i], true
}

// Managed are the parts that render files, in the order of the list.
func (s Set) Managed() []Component {
	return slices.DeleteFunc(slices.Clone(s.Parts), func(c Component) bool { return c.Render == nil })
}

// Affected are the parts whose files depend on rows of these tables, and whether all of
// those rows were judged one by one already.
func (s Set) Affected(tables []string) (names []string, checked bool) {
	checked = true
	for _, c := range s.Managed() {
		own := slices.DeleteFunc(slices.Clone(c.Tables), func(t Table) bool { return !slices.Contains(tables, t.Name) })
		reads := slices.ContainsFunc(c.Reads, func(name string) bool { return slices.Contains(tables, name) })
		if len(own) == 0 && !reads {
			continue
		}
		names = append(names, c.Name)
		checked = checked && !reads && !slices.ContainsFunc(own, func(t Table) bool { return !t.RowsChecked })
	}
	return names, checked
}

// Owners are the parts that own these tables, sorted.
func (s Set) Owners(tables []string) []string {
	var names []string
	for _, c := range s.Parts {
		if slices.ContainsFunc(c.Tables, func(t Table) bool { return slices.Contains(tables, t.Name) }) {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Undoable refuses a change that is to be undone by itself where one of its tables cannot
// take part in that.
func (s Set) Undoable(tables []string) error {
	for _, c := range s.Parts {
		for _, t := range c.Tables {
			if t.NoUndo != "" && slices.Contains(tables, t.Name) {
				return fault.New(fault.Conflict, "this cannot wait to be confirmed: %s", t.NoUndo).WithCode("not_revertible")
			}
		}
	}
	return nil
}

// Candidate refuses rows, as now has them, that the part's daemon would not take or that
// leave something out, unless that is so already with those that was has: then it may
// be a repair on its way. The part's own guard is asked first.
func (s Set) Candidate(ctx context.Context, was, now db.DB, name string) error {
	c, ok := s.Find(name)
	if !ok {
		return fmt.Errorf("there is no managed component %q", name)
	}
	if c.Guard != nil {
		if err := c.Guard(ctx, was, now); err != nil {
			return err
		}
	}
	problems, err := s.judge(ctx, c, now)
	if err == nil && len(problems) == 0 {
		return nil
	}
	if ctx.Err() != nil {
		return err
	}
	before, errBefore := s.judge(ctx, c, was)
	if err != nil {
		if errBefore != nil {
			return nil
		}
		return err
	}
	for _, p := range problems {
		if errBefore == nil && !p.Tolerated && !slices.Contains(before, p) {
			return fault.New(fault.Invalid, "%s cannot be used: %s", p.Subject, p.Message).WithCode("not_renderable")
		}
	}
	return nil
}

// judge renders and checks, in a folder of its own.
func (s Set) judge(ctx context.Context, c Component, q db.DB) (problems []Problem, err error) {
	r, err := c.Render(ctx, q, s.Unseal)
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", c.Name, err)
	}
	if c.Unchecked != nil && c.Unchecked(Rendering{}, r) {
		return r.Problems, nil
	}
	dir, err := os.MkdirTemp("", "gateway-candidate-")
	if err != nil {
		return nil, fmt.Errorf("stage %s: %w", c.Name, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := r.Stage(dir); err != nil {
		return nil, err
	}
	if err := c.Check(ctx, dir); err != nil {
		return nil, fmt.Errorf("check %s: %w", c.Name, err)
	}
	return r.Problems, nil
}

// Stage writes the files below dir, each under its full path, for a checker to read.
func (r Rendering) Stage(dir string) error {
	for _, f := range r.Files {
		path := filepath.Join(dir, f.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("stage %s: %w", f.Path, err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			return fmt.Errorf("stage %s: %w", f.Path, err)
		}
	}
	return nil
}

// Preview is the text of the part's files, by path, with every secret redacted.
func (s Set) Preview(ctx context.Context, q db.DB, name string) (map[string]string, error) {
	c, ok := s.Find(name)
	if !ok {
		return nil, fmt.Errorf("there is no managed component %q", name)
	}
	r, err := c.Render(ctx, q, redact)
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	return r.Texts(), nil
}

func redact([]byte, secret.Place) (secret.Text, error) { return secret.Redacted, nil }

// Texts are the files by path, as they may be shown.
func (r Rendering) Texts() map[string]string {
	m := map[string]string{}
	for _, f := range r.Files {
		m[f.Path] = f.Text()
	}
	return m
}
