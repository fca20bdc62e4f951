package journald

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/logship"
	"gateway/internal/sys"
)

// JournalFile and AccessFile are drop-ins of journald. They are not in its own folder, which gateway-apply may not
// write to: links of the package lead here.
const (
	JournalFile = "/etc/gateway/logs/journald.conf"
	AccessFile  = "/etc/gateway/logs/access.conf"
)

// state is what the files are made of.
type state struct {
	Settings
	namespace string
}

func (l *logging) load(ctx context.Context, q db.DB, _ daemon.Unseal) (state, error) {
	rows, err := db.List[Settings](ctx, q, `select journal_max_mb, journal_max_days, access_log_max_mb, access_log_max_days, remote_enabled, remote_host, remote_port,
		remote_server_name, remote_ca, remote_level, remote_units, remote_access_log from logs_settings`)
	if err != nil {
		return state{}, fmt.Errorf("read the settings of the logs: %w", err)
	}
	if len(rows) != 1 {
		return state{}, fmt.Errorf("read the settings of the logs: %d rows, want one", len(rows))
	}
	return state{rows[0], l.AccessLog}, nil
}

// render leaves out what the API would refuse today: a row may be older than the rule.
func (s state) render() (daemon.Rendering, error) {
	config, authorities, problems := s.shipping()
	var p fault.Problems
	if s.validateBounds(&p); p.Err() != nil {
		problems = append(problems, daemon.Invalid("the retention of the logs", p.Err()))
		s.JournalMaxMB, s.JournalMaxDays, s.AccessLogMaxMB, s.AccessLogMaxDays = nil, nil, nil, nil // as journald has it
	}
	files := []daemon.File{
		{Path: JournalFile, Mode: 0o644, Data: bounds(s.JournalMaxMB, s.JournalMaxDays, 128)},
		{Path: AccessFile, Mode: 0o644, Data: bounds(s.AccessLogMaxMB, s.AccessLogMaxDays, 64)},
		{Path: logship.ConfFile, Mode: 0o644, Data: config.Text()},
	}
	if config.OwnCA {
		files = append(files, daemon.File{Path: logship.CAFile, Mode: 0o644, Data: []byte(authorities)})
	}
	return daemon.Rendering{
		Files: files, Problems: problems,
		// Journald is always up. It is among them since it reads its files while the other one is off, too.
		Units: []daemon.Unit{{Name: Unit, Up: true}, {Name: logship.Unit, Up: s.RemoteEnabled}},
	}, nil
}

// bounds is a drop-in of journald that says no more than the operator did. Journald removes whole files, so files are
// closed often enough for the bounds to be kept: after an eighth of the space, and a thirtieth of the time. It goes by the first
// entry of a file: with that much more time the last one is kept as long as was asked for.
func bounds(mb, days *int, mostMB int) []byte {
	var b strings.Builder
	b.WriteString("[Journal]\n")
	if mb != nil {
		fmt.Fprintf(&b, "SystemMaxUse=%dM\nSystemMaxFileSize=%dM\n", *mb, min(*mb/8, mostMB))
	}
	if days != nil {
		file := max(*days/30, 1)
		fmt.Fprintf(&b, "MaxRetentionSec=%dday\nMaxFileSec=%dday\n", *days+file, file)
	}
	return []byte(b.String())
}

// shipping is what the log shipper is told. With anything that is wrong it is told no receiver: to leave out one unit could
// mean all of them, and to leave out an authority those of the system.
func (s state) shipping() (c logship.Config, authorities string, problems []daemon.Problem) {
	settings := s.Settings
	var p fault.Problems
	settings.RemoteEnabled = false // then it needs no host
	settings.validateReceiver(&p)
	if err := p.Err(); err != nil {
		return logship.Config{Port: 6514, Level: "info"}, "", []daemon.Problem{daemon.Invalid("the log receiver", err)}
	}
	c = logship.Config{
		Host: settings.RemoteHost, Port: settings.RemotePort, ServerName: settings.RemoteServerName, OwnCA: settings.RemoteCA != "",
		Level: settings.RemoteLevel, Units: settings.RemoteUnits,
	}
	if settings.RemoteAccessLog {
		c.AccessLog = s.namespace
	}
	return c, settings.RemoteCA, nil
}

// inWords puts what the operator can look into as a fault, and leaves the rest to the log.
func inWords(err error, unit string) error {
	var job *sys.JobError
	if !errors.As(err, &job) {
		return err
	}
	return errors.Join(fault.New(fault.Unavailable, "%s did not start; see its log", unit).WithCode("logs_unavailable"), err)
}
