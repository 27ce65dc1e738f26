// Package settings reads the settings of a server as its users write them, renders
// them as servers read them, and compares what was asked for with what is in force.
package settings

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/contract"
)

// cnfSuffix ends the keys that hold a whole my.cnf file.
const cnfSuffix = ".cnf"

// loose in front of a name makes a server ignore an option that it does not know.
const loose = "loose_"

// cumulative is the option that a server collects over all its occurrences, where
// it takes the last occurrence of any other.
const cumulative = "plugin_load_add"

// emptyString is how a Setting says that the value is the empty string.
const emptyString = "''"

// CanonicalName is the name with underscores for dashes, as SHOW VARIABLES prints
// it. A prefix such as loose_ stays.
func CanonicalName(name string) string { return strings.ReplaceAll(name, "-", "_") }

// Parse reads the data of a ConfigMap. A key that ends in .cnf holds a
// my.cnf file, whose server groups are read; any other key is the name of an
// option, and its data the value. Files come first, so that a single key
// overrides them; otherwise keys are read in alphabetical order. All errors are
// returned together, each with its position.
func Parse(data map[string]string) ([]contract.Setting, error) {
	var files, options []contract.Setting
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(data)) {
		if !strings.HasSuffix(key, cnfSuffix) {
			// A block scalar in YAML ends in a line break that nobody means.
			value := strings.TrimSpace(data[key])
			if value == `""` {
				value = emptyString
			}
			options = append(options, contract.Setting{Name: CanonicalName(key), Value: value})
			continue
		}
		parsed, err := parseCnf(data[key])
		if err != nil {
			errs = append(errs, fmt.Errorf("%s, %w", key, err))
		}
		files = append(files, parsed...)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return append(files, options...), nil
}

// Merge joins lists of settings. A later setting replaces an earlier one of the
// same name, whether or not either has the prefix loose_, and takes its own place
// in the order: servers let the last line win, also between two spellings of one
// option, such as log_bin and skip_log_bin. All values of plugin_load_add are kept,
// because servers collect them.
func Merge(lists ...[]contract.Setting) []contract.Setting {
	var out []contract.Setting
	for _, s := range slices.Concat(lists...) {
		s.Name = CanonicalName(s.Name)
		out = slices.DeleteFunc(out, func(earlier contract.Setting) bool { return replaces(s, earlier) })
		out = append(out, s)
	}
	return out
}

func replaces(later, earlier contract.Setting) bool {
	name := strings.TrimPrefix(later.Name, loose)
	if name != strings.TrimPrefix(earlier.Name, loose) {
		return false
	}
	return name != cumulative || later.Value == earlier.Value
}
