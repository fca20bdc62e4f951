package logs_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/logs"
	"gateway/internal/component/logs/journald"
	"gateway/internal/daemon"
	"gateway/internal/logship"
)

func setup(now func() time.Time, status string) componenttest.Setup {
	return componenttest.Setup{
		Component: func(r *componenttest.Rig) component.Component {
			return logs.New(logs.Options{DB: r.Pool, Run: r.Run, Now: now, Log: slog.New(slog.DiscardHandler), Status: status})
		},
		Daemon: func(r *componenttest.Rig) daemon.Daemon {
			return journald.New(journald.Options{Units: r.Units, AccessLog: "gateway-access"})
		},
		Parse: func(r daemon.Rendering) error {
			_, err := logship.ParseConfig(r.File(logship.ConfFile))
			return err
		},
	}
}

func authority(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func TestTheDaemonKeepsTheContract(t *testing.T) {
	componenttest.Contract(t, setup(time.Now, ""), func(r *componenttest.Rig) {
		r.Edit("/logs/settings", componenttest.Object{
			"journal_max_mb": 500, "access_log_max_days": 7, "remote_host": "logs.example.com", "remote_ca": authority(t), "remote_units": []string{"unbound.service"}, "remote_access_log": true,
		}).Want(http.StatusOK)
	})
}

// Nothing is said to journald that the operator did not say, and each of the three is restarted for its own file only.
func TestWhatIsSetIsAppliedToWhomItConcerns(t *testing.T) {
	s := setup(time.Now, "")
	s.Live = true
	r := componenttest.New(t, s)
	r.MustSync()
	if got := string(r.OnDisk(journald.JournalFile)) + string(r.OnDisk(journald.AccessFile)); got != "[Journal]\n[Journal]\n" {
		t.Errorf("a fresh node has %q", got)
	}
	var restarted []string
	r.Units.Act = actsOn(&restarted)
	for _, tc := range []struct {
		name      string
		set       componenttest.Object
		file      string
		want      string
		restarted []string
	}{
		{
			"bounds of the log",
			componenttest.Object{"journal_max_mb": 500, "journal_max_days": 14},
			journald.JournalFile,
			"[Journal]\nSystemMaxUse=500M\nSystemMaxFileSize=62M\nMaxRetentionSec=15day\nMaxFileSec=1day\n",
			[]string{"restart systemd-journald.service"},
		},
		{
			"bounds of the access log",
			componenttest.Object{"access_log_max_mb": 64, "access_log_max_days": 365},
			journald.AccessFile,
			"[Journal]\nSystemMaxUse=64M\nSystemMaxFileSize=8M\nMaxRetentionSec=377day\nMaxFileSec=12day\n",
			[]string{"restart systemd-journald@gateway-access.service"},
		},
		{
			"a receiver that is off",
			componenttest.Object{"remote_host": "LOGS.example.com", "remote_units": []string{"unbound.service"}},
			logship.ConfFile,
			"host=logs.example.com\nport=6514\nserver_name=\nca=system\nlevel=info\nunit=unbound.service\naccess_log=\n", nil,
		},
		{
			"switched on",
			componenttest.Object{"remote_enabled": true, "remote_access_log": true, "remote_level": "warn", "remote_units": []string{}},
			logship.ConfFile,
			"host=logs.example.com\nport=6514\nserver_name=\nca=system\nlevel=warn\naccess_log=gateway-access\n",
			[]string{"restart gateway-logship.service"},
		},
		{
			"switched off",
			componenttest.Object{"remote_enabled": false},
			logship.ConfFile,
			"host=logs.example.com\nport=6514\nserver_name=\nca=system\nlevel=warn\naccess_log=gateway-access\n",
			[]string{"stop gateway-logship.service"},
		},
		{"as journald has it", componenttest.Object{"journal_max_mb": nil, "journal_max_days": nil}, journald.JournalFile, "[Journal]\n", []string{"restart systemd-journald.service"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			restarted = nil
			r.Edit("/logs/settings", tc.set).Want(http.StatusOK)
			if got := string(r.OnDisk(tc.file)); got != tc.want {
				t.Errorf("%s is %q, want %q", tc.file, got, tc.want)
			}
			if !slices.Equal(restarted, tc.restarted) {
				t.Errorf("done: %q, want %q", restarted, tc.restarted)
			}
		})
	}
}

func TestWhatIsRefused(t *testing.T) {
	r := componenttest.New(t, setup(time.Now, ""))
	for field, values := range map[string][]any{
		"remote_enabled":      {true}, // without a receiver
		"remote_host":         {"a b", "--x", "fe80::1%eth0"},
		"remote_port":         {0, 65536},
		"remote_ca":           {"hello", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", authority(t) + "more"},
		"remote_level":        {"loud"},
		"remote_units":        {[]string{"--file=/etc/shadow"}, []string{"a*.service"}, []string{"a.service", "a.service"}},
		"journal_max_mb":      {0, 63},
		"journal_max_days":    {0, 4000},
		"access_log_max_mb":   {1},
		"access_log_max_days": {-1},
	} {
		for _, v := range values {
			r.Edit("/logs/settings", componenttest.Object{field: v}).Want(http.StatusBadRequest)
		}
	}
	text := authority(t)
	r.Edit("/logs/settings", componenttest.Object{"remote_ca": "a comment\n" + strings.ReplaceAll(text, "\n", "\r\n"), "remote_host": "10.1.2.3", "remote_enabled": true}).Want(http.StatusOK)
	if got := r.Text(logship.CAFile); got != text {
		t.Errorf("the authority is rendered as %q, want %q", got, text)
	}
}

// A row that the API would refuse names no receiver: half of what it says could be more than all of it.
func TestABadRowSendsNothing(t *testing.T) {
	r := componenttest.New(t, setup(time.Now, ""))
	r.Restore(`update logs_settings set remote_enabled = true, remote_host = 'logs.example.com', remote_units = $1`, []string{"--file=/etc/shadow"})
	got := r.Rendered()
	config, err := logship.ParseConfig(got.File(logship.ConfFile))
	if err != nil || config.Host != "" || len(got.Problems) != 1 {
		t.Errorf("rendered as %+v (%v), problems %+v", config, err, got.Problems)
	}
}
