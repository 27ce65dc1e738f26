package ycsb

import "regexp"

var (
	versionLine = regexp.MustCompile(`^YCSB Client (\d\S*)$`)
	// plainLines are understood and say nothing. The first one holds the password, where it
	// was given as an argument: it is never quoted.
	plainLines = regexp.MustCompile(`^(?:` +
		`Command line: .*` +
		`|\s*` +
		`|Loading workload\.\.\.| \(might take a few minutes for large data sets\)|Starting test\.` +
		`|Adding shard node URL: .*|Using shards: .*` +
		`|DBWrapper: report latency for each error is .*` +
		`|Maximum execution time specified as: \d+ secs` +
		`|Could not wait until max specified time, TerminatorThread interrupted\.` + // the operations were done before
		`|(?:Maximum time elapsed\. )?Requesting stop for the workload\.|Stop requested for workload\. Now Joining!` +
		`|Still waiting for thread .* to complete\. Workload status: .*` +
		`|SLF4J: .*|Picked up \S*JAVA\S*: .*|OpenJDK .* warning: .*|WARNING: .*|\[ ?(?:INFO|DEBUG)\] .*` +
		`)$`)
	// complaintLine is how drivers, YCSB and the JVM say that something went wrong.
	complaintLine = regexp.MustCompile(`^(?:` +
		`Error\b.*|ERROR:? .*|Caused by: .*|Suppressed: .*|Exception in thread .*|Fatal .*` +
		`|[a-zA-Z_][\w$]*(?:\.[\w$]+)+(?:Exception|Error)(?::.*)?` +
		`|\[ ?(?:WARN|ERROR)\] .*Error: \d+-.*|\[ ?ERROR\] .*` +
		`|Unknown option .*|Missing property:.*|Usage: .*|usage: .*|No Workload class .*|Could not .*|Unable to .*` +
		`)$`)
	stackLine = regexp.MustCompile(`^\s+at .*|^\s*\.\.\. \d+ (?:more|common frames omitted)$`)
)
