package backup

import (
	"errors"
	"strings"

	"gateway/internal/backup/archive"
	"gateway/internal/backup/offsite"
	"gateway/internal/fault"
)

// worded is what a viewer may read of a failure that another process told: its own sentences, and else what is known of an
// archive. An error as it came has paths and statements in it, and is in the log.
func worded(told *fault.Sentence, unknown fault.Sentence) *fault.Sentence {
	if told == nil || told.Text != "" {
		return told
	}
	said := unknown
	switch {
	case strings.Contains(told.Message, archive.ErrNewer.Error()):
		said = fault.Said("the backup was made by a newer version: update this node first")
	case strings.Contains(told.Message, archive.ErrDamaged.Error()), strings.Contains(told.Message, archive.ErrForeign.Error()), strings.Contains(told.Message, archive.ErrKey.Error()):
		said = damagedArchive()
	}
	return &said
}

func damagedArchive() fault.Sentence {
	return fault.Said("the archive is damaged, or from another node: then its passphrase is needed")
}

func unverifiedUnknown() fault.Sentence {
	return fault.Said("the verification failed for a reason that is in the log (journalctl -u 'gateway-verify@*')")
}

func unrestoredUnknown() fault.Sentence {
	return fault.Said("the restore failed for a reason that is in the log (journalctl -u 'gateway-restore@*')")
}

// reason is what an operator may read of a target that failed. What the server said is not repeated: it may be anybody's.
func reason(err error) fault.Sentence {
	var said *fault.Sentence
	if errors.As(err, &said) {
		return *said
	}
	code, p := offsite.CodeOf(err)
	switch code {
	case offsite.CodeSettings:
		return fault.Said("the settings of the target are incomplete")
	case offsite.CodeAddress:
		return fault.Said("the target has a local or link-local address (%s), which nothing is sent to", p["address"])
	case offsite.CodeName:
		return fault.Said("the name %s of the target cannot be resolved", p["host"])
	case offsite.CodeUnreachable:
		return fault.Said("the target %s cannot be reached", p["host"])
	case offsite.CodeTimeout:
		return fault.Said("the target did not answer in time, or took no more data")
	case offsite.CodeInterrupted:
		return fault.Said("the connection to the target broke during the upload")
	case offsite.CodeStopped:
		return fault.Said("the upload was stopped")
	case offsite.CodeTLS:
		return fault.Said("no TLS connection to the target: its certificate is not trusted, or it does not offer TLS")
	case offsite.CodeHostKey:
		return fault.Said("the host key of the server is %s, expected %s; nothing was sent. If the key was changed on purpose, enter its fingerprint in the target", p["seen"], p["expected"])
	case offsite.CodeRedirect:
		return fault.Said("the object store redirects to another address, which is not followed: enter that endpoint")
	case offsite.CodeCredentials:
		return fault.Said("the target does not accept the user name, password or key")
	case offsite.CodeDenied:
		return fault.Said("the target knows the user but does not allow this: the user needs the right to write, list and delete")
	case offsite.CodePrivateKey:
		return fault.Said("the private key cannot be read: it must be in OpenSSH format, and without a passphrase")
	case offsite.CodeBucket:
		return fault.Said("the target has no bucket %q", p["bucket"])
	case offsite.CodeFolder:
		return fault.Said("the target has no folder %q", p["folder"])
	case offsite.CodeFull:
		return fault.Said("the target has no space left, or its quota is used up")
	case offsite.CodeRegion:
		return fault.Said("the bucket is not in the region %s", p["region"])
	case offsite.CodeClock:
		return fault.Said("the clocks of this node and of the target differ too much")
	case offsite.CodeIncomplete:
		return fault.Said("the target stored another size than was sent; the object was removed")
	case offsite.CodeNoSFTP:
		return fault.Said("the server offers no SFTP to this user")
	case offsite.CodeAlgorithms:
		return fault.Said("the server and this node have no SSH algorithm in common")
	case offsite.CodeAnswer:
		return fault.Said("the target answered with status %s", p["status"])
	case offsite.CodeAuthorities:
		return fault.Said("the file %s cannot be read, or has no certificate", p["file"])
	}
	return fault.Said("the upload failed for a reason that is in the log")
}
