// Package restore puts a backup back in place of what is there now: it shows beforehand what would differ,
// and reports the steps of a restore from a file, which can be read while the database is away. Making backups
// is left to package component/backup, reading archives to package backup/archive.
package restore

import (
	"time"

	"gateway/internal/fault"
)

// The states of a step, and those of a restore as a whole.
const (
	Waiting = "waiting"
	Running = "running"
	Done    = "done"
	Failed  = "failed"
)

// The results of a restore.
const (
	Confirmed = "confirmed" // the restored state stays
	Undone    = "undone"    // the state from before is back
	Refused   = "failed"    // nothing was changed
)

// Options are what the operator chose.
type Options struct {
	// Links maps names of network cards in the backup to those of this node.
	Links map[string]string `json:"links,omitempty" maxProperties:"256" doc:"Network cards: name in the backup to name on this node. One that is not named keeps its name"`
	// ConfirmWithin is how many seconds there are to confirm.
	ConfirmWithin int `json:"confirm_within,omitempty" minimum:"120" maximum:"3600" default:"600" doc:"Seconds within which the restore must be confirmed; otherwise it is undone"`
}

// Step is one of the steps of a restore.
type Step struct {
	Code     string     `json:"code" enum:"check,load,render,stop,files,swap,start,apply,confirm,clean_up" doc:"What is done in it"`
	State    string     `json:"state" enum:"waiting,running,done,failed" doc:"How far it is"`
	Started  *time.Time `json:"started_at" doc:"When it began; null: not yet"`
	Finished *time.Time `json:"finished_at" doc:"When it ended; null: not yet"`
}

// State is how far a restore is, or how the last one ended.
type State struct {
	Backup       string          `json:"backup_id" doc:"Id of the backup that is restored; empty if there was never a restore"`
	Step         string          `json:"step" doc:"Code of the step that runs, or of the last one"`
	Steps        []Step          `json:"steps" nullable:"false" doc:"All steps in their order"`
	Error        *fault.Sentence `json:"error,omitempty" doc:"Why it failed or was undone; missing otherwise"`
	ConfirmUntil *time.Time      `json:"confirm_until" doc:"Until when it can be confirmed; null: it does not wait for that"`
	SecondsLeft  int             `json:"seconds_left" doc:"How many seconds that is from now, by the clock of this node; 0: it does not wait"`
	Blocked      bool            `json:"blocked" doc:"Whether it cannot end because what it made cannot be removed, as on a full disk. It is tried again at least every minute"`
	Result       string          `json:"result" enum:",confirmed,undone,failed" doc:"How it ended: confirmed, undone (the state from before is back), failed (nothing was changed); empty: it is running, or there was none"`
	Started      *time.Time      `json:"started_at" doc:"When it began; null if there was never a restore"`
	Finished     *time.Time      `json:"finished_at" doc:"When it ended; null: it is running, or there was none"`
}

// Preview is what a restore would change.
type Preview struct {
	Version  string           `json:"version" doc:"Version of the product that made the backup"`
	Created  time.Time        `json:"created_at" doc:"When the backup was made"`
	Host     string           `json:"host" doc:"Name of the node that it was made on"`
	SameHost bool             `json:"same_host" doc:"Whether it was made on this node"`
	Tables   []TableDiff      `json:"tables" nullable:"false" doc:"Tables whose rows differ"`
	Files    []FileDiff       `json:"files" nullable:"false" doc:"State files of the backup"`
	Links    []Link           `json:"links" nullable:"false" doc:"Network cards that the backup names"`
	Accounts []Account        `json:"accounts" nullable:"false" doc:"Accounts that can do more after the restore than now (they do not exist, are disabled, or have a lower role now), and those whose password or second factor is another one, or none, afterwards"`
	Problems []fault.Sentence `json:"problems" nullable:"false" doc:"What stands in the way of a restore, or will not work after it"`
}

// TableDiff is how the rows of one table differ.
type TableDiff struct {
	Table    string `json:"table" doc:"Name of the table"`
	RowsNow  int64  `json:"rows_now" doc:"Number of rows now"`
	RowsThen int64  `json:"rows_then" doc:"Number of rows in the backup"`
	Added    int64  `json:"added" doc:"Rows that only the backup has, which come back"`
	Removed  int64  `json:"removed" doc:"Rows that the backup does not have, which are lost"`
	Changed  int64  `json:"changed" doc:"Rows with other values in the backup"`
}

// Account is one that can do more after a restore than now, or is signed in to by what was replaced since.
type Account struct {
	Email string `json:"email" doc:"E-mail address of the account, as in the backup"`
	Now   string `json:"now" enum:"missing,disabled,viewer,admin" doc:"What it is now; missing: there is no account with its id or its e-mail address"`
	After string `json:"after" enum:"viewer,admin" doc:"Its role after the restore"`
	// Password and SecondFactor are about an account that there is now: a missing one has nothing to be replaced.
	Password     bool   `json:"password_changes" doc:"Whether its password is that of the backup afterwards, and another one now"`
	SecondFactor string `json:"second_factor" enum:",removed,changed,returned" doc:"What happens to its second factor: removed (the backup has none, so the password is enough), changed (that of the backup is another one than now), returned (it has none now, and needs that of the backup to sign in); empty: nothing"`
}

// FileDiff is whether a state file differs.
type FileDiff struct {
	Name    string `json:"name" doc:"Name of the file"`
	Differs bool   `json:"differs" doc:"Whether it differs from the one now"`
}

// Link is a network card that the backup names.
type Link struct {
	Name       string   `json:"name" doc:"Its name in the backup"`
	Matches    bool     `json:"matches" doc:"Whether this node has a network card of that name"`
	Candidates []string `json:"candidates" nullable:"false" doc:"Network cards of this node that it can be mapped to"`
}
