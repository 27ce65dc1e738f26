package settings

import (
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Difference is a setting whose effective value differs from the requested value.
type Difference struct {
	// Name as in my.cnf, with underscores. A prefix that the server understood is cut
	// off: skip_log_bin is log_bin with the value OFF.
	Name string
	// Requested value; ON for a setting without one.
	Requested string
	// Effective value as SHOW GLOBAL VARIABLES printed it; nil when the server has no such variable.
	Effective *string
}

// Requested are the settings to compare with a server's variables: those of the user, and the
// storage engine of the target.
func Requested(settings []contract.Setting, storageEngine string) []contract.Setting {
	return Merge(settings, []contract.Setting{{Name: "default_storage_engine", Value: storageEngine}})
}

// Differences compares settings with the result of SHOW GLOBAL VARIABLES, by name. Two spellings of one value are
// equal: 1G and 1073741824, 1 and ON, a list in another order. A value that the server rounded or limited is a
// difference. The last of several settings for one variable counts, as for a server.
//
// A setting without a variable is a difference without an effective value. Options that have
// no variable in any server (see unshown), and those that the flavor does not show (hidden, nil
// for none), cannot be compared and are left out. Differences are in the order of the settings.
func Differences(requested []contract.Setting, variables map[string]string, hidden func(name string) bool) []Difference {
	server := shownBy(variables)
	wishes := make([]wish, len(requested))
	last := map[string]int{}
	for i, s := range requested {
		wishes[i] = understand(s, server, hidden)
		if !wishes[i].hidden {
			last[wishes[i].variable] = i
		}
	}
	var out []Difference
	for i, w := range wishes {
		effective, shown := server[w.variable]
		switch {
		case w.hidden || last[w.variable] != i:
		case !shown:
			out = append(out, Difference{Name: CanonicalName(requested[i].Name), Requested: w.value})
		case !w.fulfilled(effective, server["datadir"]):
			out = append(out, Difference{Name: w.name, Requested: w.value, Effective: &effective})
		}
	}
	return out
}

// Variables are the settings as a server with these variables interprets them, by the names of its variables:
// skip_log_bin is log_bin with the value OFF, and of several settings for one variable the last one counts.
// Values are spelt as requested, integers without a suffix. Of an option without a variable, the name is its own.
func Variables(requested []contract.Setting, variables map[string]string) map[string]string {
	server, out := shownBy(variables), map[string]string{}
	for _, s := range requested {
		w := understand(s, server, nil)
		if n := parseInteger(w.value); n != nil {
			w.value = n.String()
		}
		out[w.variable] = w.value
	}
	return out
}

// shownBy a server: its variables in lower case, as the option wsrep_OSU_method is the variable wsrep_osu_method.
func shownBy(variables map[string]string) map[string]string {
	server := make(map[string]string, len(variables))
	for name, value := range variables {
		server[strings.ToLower(name)] = value
	}
	showRedoCapacity(server)
	return server
}

// wish is a setting as a server interprets it.
type wish struct {
	// name without the prefixes, and the variable that shows it.
	name, variable string
	value          string
	// bare: there was no value. A variable that is not a switch may then have any value.
	bare bool
	// hidden: no variable shows the setting.
	hidden bool
}

// understand resolves prefixes as servers do (mysys/my_getopt.c): an existing name is used
// unchanged. Otherwise one prefix after the other is cut off, and the last one decides. So
// skip_name_resolve is a variable, and skip_log_bin is log_bin = OFF.
func understand(s contract.Setting, server map[string]string, hidden func(name string) bool) wish {
	w := wish{name: strings.ToLower(CanonicalName(s.Name)), value: s.Value}
	switch s.Value {
	case "":
		w.value, w.bare = "ON", true
	case emptyString:
		w.value = ""
	}
	if hidden != nil && hidden(w.name) {
		w.variable, w.hidden = w.name, true
		return w
	}
	prefix := ""
	for {
		w.variable = variableOf(w.name, server)
		_, shown := server[w.variable]
		if shown || unshown(w.name) {
			// A limit for sessions, or a value that the server chooses itself.
			w.hidden = !shown || prefix == "maximum_" || prefix == "autoset_"
			break
		}
		var rest string
		if prefix, rest = cutPrefix(w.name); prefix == "" {
			return w
		}
		w.name = rest
	}
	w.turn(prefix)
	if w.name == externalLocking && w.variable != w.name {
		w.name, w.value, w.bare = w.variable, opposite(w.value), false
	}
	return w
}

// optionPrefixes are cut off the unknown name of an option. autoset_ is MariaDB's.
var optionPrefixes = append([]string{"autoset_"}, prefixes...)

// cutPrefix returns an empty prefix when there is none.
func cutPrefix(name string) (prefix, rest string) {
	for _, p := range optionPrefixes {
		if bare, cut := strings.CutPrefix(name, p); cut {
			return p, bare
		}
	}
	return "", name
}

// showRedoCapacity adds the capacity of the redo log for MySQL before 8.0.30, where Assay sets
// the size of one of its files instead.
func showRedoCapacity(server map[string]string) {
	if _, shown := server["innodb_redo_log_capacity"]; shown {
		return
	}
	size, files := parseInteger(server["innodb_log_file_size"]), parseInteger(server["innodb_log_files_in_group"])
	if size != nil && files != nil {
		server["innodb_redo_log_capacity"] = size.Mul(size, files).String()
	}
}

// turn applies a prefix that switches an option. A server checks only for the value 0: skip_x
// = OFF is the same as skip_x.
func (w *wish) turn(prefix string) {
	on := w.value != "0"
	switch prefix {
	case "enable_":
	case "skip_", "disable_":
		on = !on
	default:
		return
	}
	w.bare = false
	w.value = "OFF"
	if on {
		w.value = "ON"
	}
}

func opposite(value string) string {
	if falsy[strings.ToLower(value)] {
		return "ON"
	}
	return "OFF"
}
