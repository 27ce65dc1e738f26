package tidb

import (
	"regexp"

	"github.com/assay-bench/assay/engines/engine"
)

func facts() engine.Facts {
	const counts = "TiDB has no status variables for what its storage does"
	return engine.Facts{
		Identify: identify, Family: "TiDB",
		Unshown: func(name string) bool { return isItem(name) || name == "default_storage_engine" },
		Log:     log(),
		Lacks: map[engine.Ability]string{
			engine.Replicas:       "Assay provides TiDB as one server with its embedded store",
			engine.CountsRows:     counts,
			engine.CountsFlushes:  counts,
			engine.CountsBytes:    counts,
			engine.VariesSettings: "the bootstrap of TiDB runs once, and its agent has no account that may set variables",
			engine.HugePages:      "TiDB shows large_pages for compatibility, and ignores it",
			engine.TellsDefaults:  "TiDB has no table with the defaults of its variables",
		},
	}
}

var (
	// printedVersion matches the output of tidb-server.
	printedVersion = regexp.MustCompile(`(?m)^Release Version: v([0-9]+\.[0-9]+\.[0-9]+)`)
	// shownVersion is behind the version of MySQL in VERSION(), such as 8.0.11-TiDB-v8.5.3.
	shownVersion = regexp.MustCompile(`-TiDB-v?([0-9]+\.[0-9]+\.[0-9]+)`)
)

// identify looks at the comment as well, because server_version replaces the whole VERSION().
func identify(e engine.Evidence) (version string, ok bool) {
	for pattern, text := range map[*regexp.Regexp]string{printedVersion: e.Printed, shownVersion: e.Version} {
		if m := pattern.FindStringSubmatch(text); m != nil {
			return m[1], true
		}
	}
	return "", e.Says("TiDB")
}

// log has lines of TiDB 8.5.
func log() engine.Log {
	return engine.Log{
		Harmless: regexp.MustCompile(`\[(INFO|WARN|DEBUG)\]`),
		Storage:  engine.StorageLine,
		Setting:  regexp.MustCompile(`(?i)invalid configuration option|toml: |incompatible types: TOML`),
		Doubts: []engine.Doubt{
			{Text: "InitializeSQLFile error", Meaning: "TiDB refused a statement of its first start: a setting has not taken effect"},
			{Text: "[path=unistore://", Meaning: "TiDB keeps its data in its embedded store, which is made for tests: one copy, " +
				"and commits are not synced. They are faster than on this storage"},
		},
		Errors: "[ERROR]",
	}
}
