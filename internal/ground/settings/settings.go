// Package settings handles the settings of a server. In: settings as users write them (my.cnf files, names and values).
// Out: a configuration file, and the differences between requested and effective values. It refuses malformed files,
// settings that Assay owns, and values that a my.cnf file cannot express.
package settings

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// cnfSuffix is the suffix of keys that hold a whole my.cnf file.
const cnfSuffix = ".cnf"

// loose is the prefix with which a server ignores an unknown option.
const loose = "loose_"

// cumulative is the option whose occurrences a server collects. Of any other option the last occurrence counts.
const cumulative = "plugin_load_add"

// emptyString is the value of a Setting that stands for the empty string.
const emptyString = "''"

// CanonicalName is the name with underscores for dashes, as SHOW VARIABLES prints it. Prefixes such as loose_ are kept.
func CanonicalName(name string) string { return strings.ReplaceAll(name, "-", "_") }

// Parse reads the data of a ConfigMap. A key that ends in .cnf holds a my.cnf file, whose server groups are read. Any
// other key is the name of an option with its value. Files come first, so single keys override them; otherwise keys are
// read in alphabetical order. All errors are returned together, each with its position.
func Parse(data map[string]string) ([]contract.Setting, error) {
	var files, options []contract.Setting
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(data)) {
		if !strings.HasSuffix(key, cnfSuffix) {
			// A block scalar in YAML ends in an unintended line break.
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

// Merge joins lists of settings. A later setting replaces an earlier setting of the same name, with or without the
// prefix loose_, and keeps its own position: for servers the last line wins, also between two spellings of one option
// such as log_bin and skip_log_bin. All values of plugin_load_add are kept, because servers collect them.
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
