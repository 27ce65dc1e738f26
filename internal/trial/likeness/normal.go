package likeness

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// server is what one set of facts says of a server.
type server struct {
	facts map[string]string
	// family of the server; empty if it is not known.
	family string
	// engine of the tables, in lower case.
	engine string
	known  bool
}

func serverOf(facts map[string]string) server {
	s := server{facts: facts, family: factsOf(facts).Family, engine: strings.ToLower(facts["default_storage_engine"])}
	_, s.known = facts[factVersion]
	return s
}

// spelt is a value: what it means, and how the server spells it.
type spelt struct{ means, shown string }

// spell a value: numbers without zeros at their ends.
func (s Setting) spell(value string) spelt {
	means := s.Means(value)
	if _, err := strconv.ParseFloat(value, 64); err == nil && !s.isSwitch() {
		value = means
	}
	return spelt{means, value}
}

// applies says whether a setting has an effect: no other setting switches it off, and the tables
// use its storage engine.
func (s server) applies(set Setting) bool {
	engine := set.Engine == "" || s.engine == "" || strings.EqualFold(set.Engine, s.engine)
	return s.known && engine && (set.Needs == "" || isOn(s.facts[set.Needs]))
}

// valueOf a setting, with the name that this server has for it. It is not there where the server
// has no such setting, and where it has no effect.
func (s server) valueOf(set Setting) (name string, value spelt, there bool) {
	if !s.applies(set) || !set.usedBy(s.family) {
		return "", spelt{}, false
	}
	return s.named(set)
}

// named is the value of a setting, whether or not it has an effect.
func (s server) named(set Setting) (name string, value spelt, there bool) {
	names := append([]string{set.Name}, set.Aliases...)
	if set.RocksDB != "" && s.engine == "rocksdb" {
		names = []string{set.RocksDB}
	}
	for _, name := range names {
		if value, has := s.facts[name]; has {
			return name, set.spell(value), true
		}
	}
	if set.Name == redoCapacity {
		if size, known := s.redoCapacity(); known {
			return redoFileSize, spelt{size, size}, true
		}
	}
	return "", spelt{}, false
}

const (
	redoCapacity  = "innodb_redo_log_capacity"
	redoFileSize  = "innodb_log_file_size"
	redoFileCount = "innodb_log_files_in_group"
)

// redoFiles are the variables of a redo log in files.
var redoFiles = []string{redoFileSize, redoFileCount}

// redoCapacity of a server that has files of a size instead: MySQL before 8.0.30, and MariaDB.
func (s server) redoCapacity() (bytes string, known bool) {
	size, err := strconv.ParseInt(s.facts[redoFileSize], 10, 64)
	if err != nil {
		return "", false
	}
	files, err := strconv.ParseInt(cmp.Or(s.facts[redoFileCount], "1"), 10, 64)
	return strconv.FormatInt(size*files, 10), err == nil
}

// Means is what a value of the setting means: servers spell alike what means the same.
func (s Setting) Means(value string) string {
	upper := strings.ToUpper(value)
	if s.isSwitch() {
		switch upper {
		case "1", "TRUE", "YES":
			upper = "ON"
		case "0", "FALSE", "NO":
			upper = "OFF"
		}
	}
	if n, err := strconv.ParseFloat(upper, 64); err == nil {
		upper = strconv.FormatFloat(n, 'f', -1, 64)
	}
	return cmp.Or(s.Same[upper], upper)
}

// meaningOfFact that is no setting. Flushes of a commit are whole ones: what the server flushes
// meanwhile in the background adds a few hundredths.
func meaningOfFact(name, value string) string {
	if flushes, err := strconv.ParseFloat(value, 64); name == factCommitCost && err == nil {
		return strconv.FormatFloat(math.Round(flushes), 'f', -1, 64)
	}
	return value
}

func (s Setting) isSwitch() bool {
	return slices.Contains(s.Costs, "ON") || s.Absent == "OFF"
}

func isOn(value string) bool { return value == "1" || strings.EqualFold(value, "ON") }

// effect of two values of a setting.
func (s Setting) effect(first, second string) Effect {
	if s.More != "" {
		return s.ofNumbers(first, second)
	}
	// The cheaper value is the earlier one.
	a, b := slices.Index(s.Costs, first), slices.Index(s.Costs, second)
	switch {
	case a < 0 || b < 0 || a == b:
		return ""
	case a < b:
		return FirstFaster
	}
	return SecondFaster
}

func (s Setting) ofNumbers(first, second string) Effect {
	a, errA := strconv.ParseFloat(first, 64)
	b, errB := strconv.ParseFloat(second, 64)
	if errA != nil || errB != nil || a == b {
		return ""
	}
	if s.Zero == "unlimited" {
		a, b = cmp.Or(a, math.Inf(1)), cmp.Or(b, math.Inf(1))
	}
	if (a > b) == (s.More == "Faster") {
		return FirstFaster
	}
	return SecondFaster
}

// distinct facts of the records, each once.
func distinct(records []contract.Record) []contract.Facts {
	seen := map[contract.Facts]bool{}
	var out []contract.Facts
	for i := range records {
		if f := records[i].Facts; f != "" && !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	return out
}
