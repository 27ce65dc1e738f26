package engines

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Identity is which server it is. The zero value is a server that is not known; its facts are
// zero too.
type Identity struct {
	// Flavor, such as MariaDB; empty if it is not known.
	Flavor string
	// Version of that flavor, such as 10.11.6; empty if it is not known.
	Version string
	// Facts of the flavor.
	Facts engine.Facts
}

// Known reports whether the flavor is known.
func (i Identity) Known() bool { return i.Flavor != "" }

// Storage is what the server counts of a storage engine, whose name may have any case.
func (i Identity) Storage(storageEngine string) (engine.Storage, bool) {
	if i.Facts.Storage == nil {
		return engine.Storage{}, false
	}
	return i.Facts.Storage(i.Version, storageEngine)
}

// Identify a server by VERSION(), version_comment and its global variables, by name in lower case.
// What is not known may be empty. A server that no flavor accepts, such as one that only speaks the
// protocol, is not known, and neither is one that several accept.
func Identify(version, versionComment string, variables map[string]string) Identity {
	return identify(engine.Evidence{Version: version, Comment: versionComment, Variables: variables})
}

func identify(e engine.Evidence) (found Identity) {
	for _, candidate := range list() {
		version, ok := candidate.Facts.Identify(e)
		switch {
		case !ok:
		case found.Known():
			return Identity{}
		default:
			found = Identity{Flavor: candidate.Flavor, Version: version, Facts: candidate.Facts}
		}
	}
	return found
}

// Of the server of a result.
func Of(s contract.Server) Identity { return Identify(s.Version, s.VersionComment, s.Variables) }

// StorageOf is what the server of a result counts of a storage engine; of its default one if the
// name is empty.
func StorageOf(s contract.Server, storageEngine string) (engine.Storage, bool) {
	return Of(s).Storage(cmp.Or(storageEngine, s.Variables["default_storage_engine"]))
}

// Positions are the variables of the server of a result that are positions and not settings; of a server that is not known
// those of all flavors, because nothing says that one of them is a setting.
func Positions(s contract.Server) (names []string) {
	if of := Of(s); of.Known() {
		return of.Facts.Positions
	}
	for _, e := range list() {
		names = append(names, e.Facts.Positions...)
	}
	return names
}

// Counter of a server by its name, in any case; false for no name.
func Counter(counters map[string]float64, name string) (n float64, known bool) {
	if n, known = counters[name]; known || name == "" {
		return n, known
	}
	for other, n := range counters {
		if strings.EqualFold(other, name) {
			return n, true
		}
	}
	return 0, false
}

// LogCounters are the status variables, in lower case, that count writes and flushes of the logs of
// all storage engines, and commits of the binary log. No server has all of them.
func LogCounters() map[string]bool {
	names := map[string]bool{"binlog_commits": true, "binlog_group_commits": true}
	for _, e := range list() {
		for _, storageEngine := range e.StorageEngines {
			s, _ := Identity{Facts: e.Facts}.Storage(storageEngine)
			for _, name := range append(slices.Clone(s.LogFlushes), s.LogWritten...) {
				names[strings.ToLower(name)] = true
			}
		}
	}
	return names
}

// Recognise returns the version of the server whose program printed the text, such as 10.11.6. It
// fails for the server of another flavor, and names it, and for a version that is too old.
func Recognise(e engine.Engine, printed string) (version string, err error) {
	evidence := engine.Printed(printed)
	version, ok := e.Facts.Identify(evidence)
	other := identify(evidence)
	switch {
	case ok && contract.AtLeast(version, e.Oldest...):
		return version, nil
	case ok:
		return "", fmt.Errorf("the image has %s %s, which is too old: name an image of %s %s or later", e.Flavor, version, e.Flavor, dotted(e.Oldest))
	case other.Known():
		return "", fmt.Errorf("the image has %s %s, not %s: set flavor to %s, or name an image of %s", other.Flavor, other.Version, e.Flavor, other.Flavor, e.Flavor)
	}
	return "", fmt.Errorf("the server's program is of no flavor that is known: it printed %q", shortened(printed))
}

// Programs are the names of the servers' programs of all flavors.
func Programs() (names []string) {
	for _, e := range list() {
		names = append(names, e.Version().Programs...)
	}
	return names
}

// shortened keeps a message readable, whatever a program prints.
func shortened(text string) string {
	const most = 200
	text = strings.TrimSpace(text)
	if len(text) > most {
		text = contract.CutTo(text, most)
	}
	return text
}

func dotted(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ".")
}
