package engine

import (
	"regexp"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Evidence is what a server says of itself. What is empty is not known.
type Evidence struct {
	// Version is the result of VERSION(), and Comment the variable version_comment.
	Version, Comment string
	// Variables are global variables, by name in lower case.
	Variables map[string]string
	// Printed is what the server's program printed, asked for its version.
	Printed string
}

// versionLine matches what mysqld and mariadbd print, such as "mysqld  Ver 8.0.36-28 for Linux on
// x86_64 (Percona Server (GPL), Release 28)": the version and, in the last parentheses, the comment.
var versionLine = regexp.MustCompile(`(?m)\bVer ([0-9]+\.[0-9]+\.[0-9]+\S*)(?: .*?)?(?: \((.*)\))?$`)

// Printed is the evidence in the output of a server's program.
func Printed(text string) Evidence {
	e := Evidence{Printed: text}
	if m := versionLine.FindStringSubmatch(text); m != nil {
		e.Version, e.Comment = m[1], m[2]
	}
	return e
}

// leadingNumber is the version in front of a suffix. MariaDB's replicas may see 5.5.5- before it.
var leadingNumber = regexp.MustCompile(`^(?:5\.5\.5-)?([0-9]+\.[0-9]+\.[0-9]+)`)

// Number is the version without a suffix, such as 10.11.6; empty if there is none.
func (e Evidence) Number() string {
	if m := leadingNumber.FindStringSubmatch(e.Version); m != nil {
		return m[1]
	}
	return ""
}

// Says reports whether the version or the comment has the word, in any case.
func (e Evidence) Says(word string) bool {
	return strings.Contains(strings.ToLower(e.Version+" "+e.Comment), strings.ToLower(word))
}

// Facts are what is known of the running servers of a flavor, whoever started them. What is zero
// is not known, and what depends on it says so.
type Facts struct {
	// Identify returns the version of a server of this flavor, such as 10.11.6; ok is false for
	// any other server, and where the evidence is not enough. No two flavors accept one server.
	Identify func(e Evidence) (version string, ok bool)
	// Family is the flavor whose settings have the same meaning: MySQL for Percona Server.
	Family string
	// Storage is what a server of this version counts of a storage engine. Nil: nothing.
	Storage func(version, storageEngine string) (Storage, bool)
	// CommitCosts are the variables that decide what a commit costs.
	CommitCosts []string
	// NonDefault is the statement that lists variables that were set, as name and value. Empty:
	// the server does not tell.
	NonDefault string
	// Gauges is the statement that lists gauges of the storage engine that are no status variables, as name and value. The server
	// may refuse it to an account without a privilege. Empty: there are none.
	Gauges string
	// NonDefaultDiffers: that statement leaves out variables that were set to their defaults.
	NonDefaultDiffers bool
	// Position is the variable with the committed position of a primary.
	Position string
	// Positions are the variables that are positions and not settings: every write changes them.
	Positions []string
	// NotFlushing says why a server of this flavor may flush nothing, whatever its settings promise, and where to look: a
	// sentence for people. Empty: nothing is known of it.
	NotFlushing string
	// Unshown reports whether no variable shows a setting of this name, because the server reads
	// it from its file, or ignores it. Nil: what settings.Differences knows suffices.
	Unshown func(name string) bool
	// Variable and Counter report whether a global variable or a status variable, by its name in
	// lower case, means what it says. What a server shows for compatibility alone is dropped where
	// it is read, and a setting of such a name is refused. Nil: all do.
	Variable, Counter func(name string) bool
	// Log is the meaning of lines of the server's log.
	Log Log
	// Lacks are the abilities that the flavor does not have, each with the reason.
	Lacks map[Ability]string
}

// Ability is something that a flavor has, or lacks by name.
type Ability string

// Abilities of servers.
const (
	// Replicas that Assay provides.
	Replicas Ability = "replicas"
	// Encryption of connections, with a certificate of Assay.
	Encryption Ability = "TLS"
	// CountsRows: status variables count the rows that statements changed.
	CountsRows Ability = "counters of changed rows"
	// CountsFlushes: status variables count the flushes of the log.
	CountsFlushes Ability = "counters of flushes"
	// CountsBytes: status variables count the bytes that were written.
	CountsBytes Ability = "counters of written bytes"
	// TellsDefaults: the server tells which variables differ from their defaults.
	TellsDefaults Ability = "differences from its defaults"
	// VariesSettings: Assay changes settings between trials, of a running server or with a start.
	VariesSettings Ability = "settings that vary between trials"
	// HugePages: with large_pages the server takes its cache (Storage.CacheSize) from huge pages that the node has set aside.
	HugePages Ability = "huge pages"
	// NumbersErrors: errors have the numbers that MySQL gives them.
	NumbersErrors Ability = "numbers of errors"
)

// Storage is what a server counts of a storage engine, and how a commit of it becomes durable.
// Names are of status variables. Servers spell them with different capitals.
type Storage struct {
	// Rows that statements changed; nil where they are not counted.
	Rows *RowCounters
	// Flushes counts all flushes, of the log and of the data. LogFlushes count at least those of
	// the log, the one that counts the fewest others first.
	Flushes    string
	LogFlushes []string
	// Written are the counters of written bytes, to be added up. LogWritten count those of the log.
	Written, LogWritten []string
	// Debt is what the storage engine puts off; nil where nothing shows it.
	Debt *Debt
	// ReadPages counts the pages that were not in the cache, whose size is the variable CacheSize.
	ReadPages, CacheSize string
	// CommitSetting is the variable that decides whether a commit waits for a flush of the log.
	CommitSetting string
	// FlushesCommits reports whether the variables promise a flush, which LogFlushes count, before
	// each commit returns. Nil: not known.
	FlushesCommits func(variables map[string]string) bool
}

// Debt are the status variables of work that a storage engine puts off, so that a later window pays for it, or nobody does.
type Debt struct {
	// LogEnd and LogPaid are positions in the log, in bytes: what was written to it, and up to where all changed pages are on the
	// device. LogEnd - LogPaid is the debt.
	LogEnd, LogPaid string
	// Flushed counts the pages that were written to the device, of the size that the variable PageSize has in bytes.
	Flushed, PageSize string
	// Dirty is the gauge of the changed pages that are not on the device, in bytes.
	Dirty string
	// History are gauges of the committed transactions whose old versions of rows are still to be purged. A server has one of them
	// or none, as a status variable or in the answer to Facts.Gauges.
	History []string
}

// RowCounters are the global status variables that count the rows changed by statements of
// clients. A DELETE or UPDATE that finds no row is not counted. Each counter is an upper
// bound, because it includes rolled-back work.
type RowCounters struct {
	Inserted, Updated, Deleted string
	// Pages counts changed pages, for servers whose Updated counter includes an UPDATE without
	// a change of values: a changed row changes at least PagesPerRow pages, an unchanged row
	// none. Empty where the counter does not exist or is not needed.
	Pages       string
	PagesPerRow float64
}

// Log is the meaning of lines of a server's log.
type Log struct {
	// Harmless lines are notes and warnings, or only report that there was an error.
	Harmless *regexp.Regexp
	// Storage lines are of errors of the volume: it is full, read-only or broken.
	Storage *regexp.Regexp
	// Missing lines are of a part of the server that the image lacks. They explain Setting lines.
	Missing *regexp.Regexp
	// Setting lines refuse a setting.
	Setting *regexp.Regexp
	// Doubts are texts in lines that cast doubt on measurements, and why.
	Doubts []Doubt
	// Errors: the text of a line of an error after which the server goes on.
	Errors string
}

// Doubt is a text in a line of a log, and what it means for measurements.
type Doubt struct{ Text, Meaning string }

// IsComplaint reports whether a line is neither empty nor harmless.
func (l Log) IsComplaint(line string) bool {
	return line != "" && (l.Harmless == nil || !l.Harmless.MatchString(line))
}

// ReasonOf the end of a server, by its last lines; empty if they do not tell. Before the first
// login (starting), its settings may be the cause.
func (l Log) ReasonOf(lines []string, starting bool) contract.TargetReason {
	has := func(pattern *regexp.Regexp) bool {
		for _, line := range lines {
			if pattern != nil && l.IsComplaint(line) && pattern.MatchString(line) {
				return true
			}
		}
		return false
	}
	switch {
	case has(l.Storage):
		return contract.ReasonStorageFailed
	case starting && has(l.Missing):
		return contract.ReasonServerMissing
	case starting && has(l.Setting):
		return contract.ReasonServerRefusedSetting
	}
	return ""
}

// DoubtIn a line, for people; empty for none. A server that continues after an error lacks a
// requested feature.
func (l Log) DoubtIn(line string) string {
	for _, d := range l.Doubts {
		if strings.Contains(line, d.Text) {
			return d.Meaning + " (" + line + ")"
		}
	}
	if l.Errors != "" && l.IsComplaint(line) && strings.Contains(line, l.Errors) {
		return "the server reported an error (" + line + ")"
	}
	return ""
}

// StorageLine matches errors of the volume in the words of the C library and of Go.
var StorageLine = regexp.MustCompile(`(?i)no space left on device|disk (is )?full|out of disk space|quota exceeded|permission denied|read-only file system|` +
	`input/output error|(errno:?|errcode:|error number|failed with error) (5|13|28|30|122)\b`)
