package settings

import (
	"strings"

	"github.com/assay-bench/assay/internal/contract"
)

// Difference is a setting that a server did not take over as it was asked for.
type Difference struct {
	// Name as in my.cnf, with underscores. A prefix that the server understood is cut
	// off: skip_log_bin is log_bin with the value OFF.
	Name string
	// Requested value; ON for a setting without one.
	Requested string
	// Effective value as SHOW GLOBAL VARIABLES printed it; nil when the server has no
	// such variable.
	Effective *string
}

// Requested are the settings to compare with a server's variables: those of the
// user, and the storage engine that the target asks for.
func Requested(settings []contract.Setting, storageEngine string) []contract.Setting {
	return Merge(settings, []contract.Setting{{Name: "default_storage_engine", Value: storageEngine}})
}

// Differences compares settings with what SHOW GLOBAL VARIABLES answered, by name.
// Two spellings of one value are equal: 1G and 1073741824, 1 and ON, a list in
// another order. A value that the server rounded or limited is a difference. Of
// several settings for one variable the last one counts, as it does for a server.
//
// A setting without a variable is a difference without an effective value, unless
// it is an option that has none in any server (see unshown), or an item of TiDB's
// configuration file: of those nothing can be told. Differences are in the order of
// the settings.
func Differences(requested []contract.Setting, variables map[string]string) []Difference {
	// SHOW spells wsrep_osu_method what the option calls wsrep_OSU_method.
	server := make(map[string]string, len(variables))
	for name, value := range variables {
		server[strings.ToLower(name)] = value
	}
	showRedoCapacity(server)
	wishes := make([]wish, len(requested))
	last := map[string]int{}
	for i, s := range requested {
		wishes[i] = understand(s, server)
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

// wish is a setting as a server understands it.
type wish struct {
	// name without the prefixes, and the variable that shows it.
	name, variable string
	value          string
	// bare: there was no value. A variable that is no switch may then show anything.
	bare bool
	// hidden: no variable tells what became of it.
	hidden bool
}

// understand resolves prefixes as servers do (mysys/my_getopt.c): a name that exists
// is taken as it stands; otherwise one prefix after the other is cut off, and the
// last one decides. So skip_name_resolve is a variable, and skip_log_bin is
// log_bin = OFF.
func understand(s contract.Setting, server map[string]string) wish {
	w := wish{name: strings.ToLower(CanonicalName(s.Name)), value: s.Value}
	switch s.Value {
	case "":
		w.value, w.bare = "ON", true
	case emptyString:
		w.value = ""
	}
	// The storage engine is a word that TiDB takes and forgets.
	if isTiDB(server) && (IsTiDBItem(w.name) || w.name == "default_storage_engine") {
		w.variable, w.hidden = w.name, true
		return w
	}
	prefix := ""
	for {
		w.variable = variableOf(w.name, server)
		_, shown := server[w.variable]
		if shown || unshown(w.name) {
			// A bound for sessions, or a value that the server chooses itself.
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

// optionPrefixes are cut off the name of an option that a server does not know.
// autoset_ is MariaDB's.
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

// showRedoCapacity adds what MySQL before 8.0.30 has under other names: Assay writes
// the capacity of the redo log there as the size of one of its files.
func showRedoCapacity(server map[string]string) {
	if _, shown := server["innodb_redo_log_capacity"]; shown {
		return
	}
	size, files := parseInteger(server["innodb_log_file_size"]), parseInteger(server["innodb_log_files_in_group"])
	if size != nil && files != nil {
		server["innodb_redo_log_capacity"] = size.Mul(size, files).String()
	}
}

// turn applies a prefix that switches. A server looks for exactly 0 behind it and
// ignores any other value: skip_x = OFF is the same as skip_x.
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
