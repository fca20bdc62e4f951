package daemon

import (
	"cmp"
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

// Set is what package change asks before it stores anything: every daemon's configuration,
// in the order of the list.
type Set struct {
	Configs []Config
	Unseal  Unseal
}

// Configs are those of daemons.
func Configs(all []Daemon) []Config {
	out := make([]Config, len(all))
	for i, d := range all {
		out[i] = d.Config
	}
	return out
}

// Find returns the configuration of the component with that name.
func (s Set) Find(name string) (Config, bool) {
	i := slices.IndexFunc(s.Configs, func(c Config) bool { return c.Name == name })
	if i < 0 {
		return Config{}, false
	}
	return s.Configs[i], true
}

// LockOf is the component whose lock a change of one takes.
func (s Set) LockOf(component string) string {
	c, _ := s.Find(component)
	return cmp.Or(c.LockOf, component)
}

// DependsOn reports whether the files depend on rows of the table.
func (c Config) DependsOn(table string) bool {
	return slices.Contains(c.Reads, table) || slices.ContainsFunc(c.Tables, func(t db.Table) bool { return t.Name == table })
}

// Affected are the components whose files depend on rows of these tables, and whether all of
// those rows were judged one by one already.
func (s Set) Affected(tables []string) (names []string, checked bool) {
	checked = true
	for _, c := range s.Configs {
		own := slices.DeleteFunc(slices.Clone(c.Tables), func(t db.Table) bool { return !slices.Contains(tables, t.Name) })
		reads := slices.ContainsFunc(c.Reads, func(name string) bool { return slices.Contains(tables, name) })
		if len(own) == 0 && !reads {
			continue
		}
		names = append(names, c.Name)
		checked = checked && !reads && !slices.ContainsFunc(own, func(t db.Table) bool { return !t.RowsChecked })
	}
	return names, checked
}

// Judging are the components that a change of these tables is judged beside: those that it
// affects, and those whose guard asks about them.
func (s Set) Judging(tables []string) (names []string) {
	for _, c := range s.Configs {
		if slices.ContainsFunc(tables, func(t string) bool {
			return c.DependsOn(t) || slices.Contains(c.GuardReads, t) || slices.Contains(c.AlsoGuards, t)
		}) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Guarding are the components whose files do not depend on rows of these tables, and whose guard
// judges a change of them all the same.
func (s Set) Guarding(tables []string) (names []string) {
	for _, c := range s.Configs {
		if !slices.ContainsFunc(tables, c.DependsOn) && slices.ContainsFunc(tables, func(t string) bool { return slices.Contains(c.AlsoGuards, t) }) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Beside are the tables of others by whose rows, as now has them, a change of these tables is
// judged too: those of the guards that have anything to say about them.
func (s Set) Beside(ctx context.Context, now db.DB, tables []string) (others []string, err error) {
	for _, c := range s.Configs {
		if len(c.AlsoGuards) == 0 || !slices.ContainsFunc(tables, c.DependsOn) {
			continue
		}
		asked, err := c.GuardsNow(ctx, now)
		if err != nil {
			return nil, err
		}
		if asked {
			others = append(others, c.AlsoGuards...)
		}
	}
	return others, nil
}

// Guard asks the component's guard about rows, as now has them. Where nobody could say what those
// mean that was has, a repair must stay possible.
func (s Set) Guard(ctx context.Context, was, now db.DB, name string) error {
	c, ok := s.Find(name)
	if !ok {
		return fmt.Errorf("there is no managed component %q", name)
	}
	if asked, err := c.GuardsNow(ctx, now); err != nil || !asked {
		return err
	}
	if err := c.Source.refresh(ctx, was); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	before := func() (any, error) { return c.Source.load(ctx, was, s.Unseal) }
	state, err := c.Source.load(ctx, now, s.Unseal)
	if err != nil {
		if _, errBefore := before(); errBefore != nil && ctx.Err() == nil {
			return nil
		}
		return fmt.Errorf("read %s: %w", name, err)
	}
	return c.Source.guard(ctx, before, state)
}

// Candidate refuses rows, as now has them, that the component's daemon would not take or that
// leave something out, unless that is so already with those that was has: then it may
// be a repair on its way. The component's own guard is asked first.
func (s Set) Candidate(ctx context.Context, was, now db.DB, name string) error {
	c, ok := s.Find(name)
	if !ok {
		return fmt.Errorf("there is no managed component %q", name)
	}
	if err := c.Source.refresh(ctx, was); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	var problems []Problem
	state, err := c.Source.load(ctx, now, s.Unseal)
	if err != nil && c.Source.guards() {
		return fmt.Errorf("read %s: %w", name, err) // nobody can say what it would do
	}
	if err == nil {
		if err := c.Source.guard(ctx, func() (any, error) { return c.Source.load(ctx, was, s.Unseal) }, state); err != nil {
			return err
		}
		problems, err = judge(ctx, c, state)
	}
	if err == nil && len(problems) == 0 {
		return nil
	}
	if ctx.Err() != nil {
		return err
	}
	before, errBefore := s.judgeStored(ctx, c, was)
	if err != nil {
		if errBefore != nil {
			return nil
		}
		return err
	}
	for _, p := range problems {
		if errBefore == nil && !p.Tolerated && !slices.ContainsFunc(before, p.Same) {
			return fault.New(fault.Invalid, "%s cannot be used: %s", fault.Named(p.Subject), p.Sentence).WithCode("not_renderable")
		}
	}
	return nil
}

func (s Set) judgeStored(ctx context.Context, c Config, q db.DB) ([]Problem, error) {
	state, err := c.Source.load(ctx, q, s.Unseal)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", c.Name, err)
	}
	return judge(ctx, c, state)
}

// Judge renders the component from the rows that q has, and has its daemon check the files.
func (s Set) Judge(ctx context.Context, q db.DB, name string) ([]Problem, error) {
	c, ok := s.Find(name)
	if !ok {
		return nil, fmt.Errorf("there is no managed component %q", name)
	}
	return s.judgeStored(ctx, c, q)
}

// judge renders and checks, in a folder of its own.
func judge(ctx context.Context, c Config, state any) (problems []Problem, err error) {
	r, err := c.Source.render(state)
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", c.Name, err)
	}
	if c.Check == nil || len(r.Files) == 0 || c.Plain != nil && c.Plain(Rendering{}, r) {
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

// Stage writes the files below dir, each under its full path, for a checker to read. Long ones no
// checker reads, and they may be many.
func (r Rendering) Stage(dir string) error {
	for _, f := range r.Files {
		if f.Long {
			continue
		}
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

// Preview is the text of the component's files, by path, with every secret redacted.
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
	if text := r.UnitsText(); text != "" {
		m[UnitsPath] = text
	}
	for _, f := range r.Files {
		m[f.Path] = f.Text()
	}
	return m
}
