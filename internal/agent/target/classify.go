package target

import (
	"regexp"
	"strings"

	"github.com/assay-bench/assay/internal/agent/supervise"

	"github.com/assay-bench/assay/internal/contract"
)

// Log lines of servers that fail, from MariaDB 10.11, MySQL 5.7 to 9.7 and TiDB 8.5.
var (
	storageLine = regexp.MustCompile(`(?i)no space left on device|disk (is )?full|out of disk space|quota exceeded|permission denied|read-only file system|` +
		`input/output error|(errno:?|errcode:|error number|failed with error) (5|13|28|30|122)\b`)
	settingLine = regexp.MustCompile(`(?i)unknown (variable|option)|unknown suffix|ambiguous option|error while setting value|` +
		`option '[^']*'|requires an argument|wrong (option )?value|invalid (value|page size)|unsupported storage engine|incorrect argument|` +
		`can't be set|out of range|unknown .{0,40}value|cannot allocate memory for the buffer pool|value .{0,80} is (not valid|invalid)|` +
		`invalid configuration option|toml: |incompatible types: TOML`)
	// pluginLine matches a missing plugin of a storage engine or of semi-synchronous
	// replication in the image.
	pluginLine = regexp.MustCompile(`(?i)can't open shared library '[^']*(ha_rocksdb|semisync_)`)
	// harmless lines are notes and warnings, or only report that there was an error.
	harmless = regexp.MustCompile(`\[(Warning|Note|System|INFO|WARN|DEBUG)\]|\[ERROR\] (\[.*\] )*(Aborting|The designated data directory)|^get_mempolicy:`)
)

// classify returns why a server ended unexpectedly, from its last lines and its exit. After
// its first readiness, its settings are not the cause.
func classify(exit supervise.Exit, lines []string, otherwise contract.TargetReason) contract.TargetReason {
	// SIGKILL comes from the kernel when memory runs out.
	if exit.Signal == "SIGKILL" {
		return contract.ReasonServerKilled
	}
	if anyLine(lines, storageLine) {
		return contract.ReasonStorageFailed
	}
	return otherwise
}

// classifyStart is classify for a server that was never ready.
func classifyStart(exit supervise.Exit, lines []string, otherwise contract.TargetReason) contract.TargetReason {
	reason := classify(exit, lines, otherwise)
	switch {
	case reason != otherwise:
		return reason
	case anyLine(lines, pluginLine): // its settings are unknown then, too
		return contract.ReasonServerMissing
	case anyLine(lines, settingLine):
		return contract.ReasonServerRefusedSetting
	}
	return otherwise
}

func anyLine(lines []string, pattern *regexp.Regexp) bool {
	for _, line := range lines {
		if isComplaint(line) && pattern.MatchString(line) {
			return true
		}
	}
	return false
}

// isComplaint reports whether a line is neither empty nor harmless.
func isComplaint(line string) bool { return line != "" && !harmless.MatchString(line) }

// warnings are lines of a server's log that cast doubt on measurements, and why.
var warnings = []struct{ line, meaning string }{
	{"(memory-mapped)", "MariaDB has mapped its redo log into memory and no longer syncs it: " +
		"commits are faster than on this storage. /dev/shm must be a file system of its own"},
	{"Could not increase number of max_open_files", "the limit of open files is lower than the server asked for"},
	{"Changed limits:", "the server lowered its own limits, because that of open files is too low"},
	{"InitializeSQLFile error", "TiDB refused a statement of its first start: a setting has not taken effect"},
	{"[path=unistore://", "TiDB keeps its data in its embedded store, which is made for tests: one copy, " +
		"and commits are not synced. They are faster than on this storage"},
	{"Linux Native AIO disabled", "the server uses simulated asynchronous I/O, because native I/O is not available"},
}

// warning is the finding for a line of the server's log; empty for none. A server that
// continues after an error lacks a requested feature.
func warning(line string) string {
	for _, w := range warnings {
		if strings.Contains(line, w.line) {
			return w.meaning + " (" + line + ")"
		}
	}
	if strings.Contains(line, "[ERROR]") {
		return "the server reported an error (" + line + ")"
	}
	return ""
}
