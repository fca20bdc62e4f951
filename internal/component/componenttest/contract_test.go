package componenttest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"gateway/internal/daemon"
	"gateway/internal/db"
)

const toyMigration = `-- +goose Up
create table toy_settings (
	id uuid primary key, revision bigint not null, created_at timestamptz not null, updated_at timestamptz not null,
	enabled boolean not null, echo boolean not null, motto text not null
);
insert into toy_settings values ('00000000-0000-7000-8000-000000990000', 1, now(), now(), false, false, 'none');
create table toy_secrets (id uuid primary key, motto text not null);

-- +goose Down
drop table toy_secrets;
drop table toy_settings;
`

// toy has two units that are switched apart, and what is wrong with it.
type toy struct {
	Enabled, Echo bool
	Motto         string

	secretly, together, plainly, roughly bool
}

func (y toy) load(ctx context.Context, q db.DB, _ daemon.Unseal) (toy, error) {
	rows, err := db.List[struct {
		Enabled, Echo bool
		Motto         string
	}](ctx, q, `select enabled, echo, motto from toy_settings`)
	if err == nil && len(rows) != 1 {
		err = fmt.Errorf("%d rows", len(rows))
	}
	if err == nil && y.secretly {
		_, err = db.List[struct{ Motto string }](ctx, q, `select motto from toy_secrets`)
	}
	if err != nil {
		return toy{}, err
	}
	y.Enabled, y.Echo, y.Motto = rows[0].Enabled, rows[0].Echo, rows[0].Motto
	return y, nil
}

func (y toy) render(s toy) (daemon.Rendering, error) {
	if y.together {
		s.Echo = s.Enabled
	}
	motto := s.Motto
	if strings.ContainsAny(motto, "\n\"\\") && !y.plainly {
		motto = ""
	}
	return daemon.Rendering{
		Files: []daemon.File{{Path: "/etc/toy.conf", Mode: 0o644, Data: []byte("motto=\"" + motto + "\"\n")}},
		Units: []daemon.Unit{{Name: "toy.service", Up: s.Enabled}, {Name: "toy-echo.service", Up: s.Echo}},
	}, nil
}

func (y toy) parse(r daemon.Rendering) error {
	text := string(r.File("/etc/toy.conf"))
	if !strings.HasPrefix(text, "motto=\"") || !strings.HasSuffix(text, "\"\n") || strings.Count(text, `"`) != 2 || strings.Contains(text, `\`) {
		return errors.New("the motto is not quoted")
	}
	return nil
}

func (y toy) contract() contract {
	tables := []db.Table{{Name: "toy_settings", Scope: db.NodeLocal}}
	return contract{
		fill: func(r *Rig) { r.Restore(`update toy_settings set enabled = true, motto = 'less is more'`) },
		setup: Setup{
			Parse: y.parse, OwnApply: true,
			Schemas: []db.Schema{{
				Tables:     append(tables, db.Table{Name: "toy_secrets", Scope: db.History}),
				Migrations: fstest.MapFS{"0990_toy.sql": {Data: []byte(toyMigration)}},
			}},
			Daemon: func(r *Rig) daemon.Daemon {
				return daemon.Daemon{
					Config: daemon.Config{
						Name: "toy", Tables: tables, Source: daemon.Steps[toy]{Load: y.load, Render: y.render},
						Services: []daemon.Service{
							{Name: "toy", Unit: "toy.service", Setting: "toy_settings"},
							{Name: "toy-echo", Unit: "toy-echo.service", Setting: "toy_settings", Column: "echo"},
						},
					},
					Units: []string{"toy.service", "toy-echo.service"},
					Apply: func(ctx context.Context, _, now daemon.Rendering) error {
						var err error
						for _, u := range now.Units {
							if u.Up || y.roughly {
								err = errors.Join(err, r.Units.Restart(ctx, u.Name))
							}
						}
						return err
					},
				}
			},
		},
	}
}

func TestTwoDaemonsOfOneComponentAreSwitchedApart(t *testing.T) {
	c := toy{}.contract()
	Contract(t, c.setup, c.fill)
}

// complaints stands in for the test of a component that breaks the contract.
type complaints struct {
	testing.TB
	all []string
}

func (c *complaints) Errorf(format string, args ...any) {
	c.all = append(c.all, fmt.Sprintf(format, args...))
}

func (c *complaints) Error(args ...any) { c.all = append(c.all, fmt.Sprint(args...)) }

func (c *complaints) Fatalf(format string, args ...any) {
	c.Errorf(format, args...)
	runtime.Goexit()
}

// notes has a test go on by itself, since it may end there.
func (c *complaints) notes(test func()) string {
	done := make(chan struct{})
	go func() { defer close(done); test() }()
	<-done
	return strings.Join(c.all, "\n")
}

func TestWhatBreaksTheContractIsNoticed(t *testing.T) {
	for _, tc := range []struct {
		name string
		toy  toy
		test func(contract, testing.TB, *Rig)
		want string
	}{
		{"one setting switches both", toy{together: true}, contract.isSwitched, "toy-echo.service is up"},
		{"a table is read that is not named", toy{secretly: true}, contract.readsWhatItNames, "toy_secrets"},
		{"a text is written as it stands", toy{plainly: true}, contract.takesHostileRows, "the motto is not quoted"},
		{"its Apply starts what is to be down", toy{roughly: true}, contract.isSwitched, "running although it is switched off"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, heard := tc.toy.contract(), &complaints{TB: t}
			if all := heard.notes(func() { tc.test(c, heard, c.rig(heard)) }); !strings.Contains(all, tc.want) {
				t.Errorf("complained %q, want something about %q", all, tc.want)
			}
		})
	}
}
