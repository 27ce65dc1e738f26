package settings

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/nearest"
)

// known has the global variables of servers of one version, a file for each flavor: its version, and a name in each line after
// it. They are what servers said in stored runs: known_test.go derives them (-update).
//
//go:embed known/*.txt
var known embed.FS

// variablesOf the version of a flavor that is known; none for another flavor.
func variablesOf(flavor string) (version string, names []string) {
	data, err := known.ReadFile("known/" + strings.ToLower(flavor) + ".txt")
	if err != nil {
		return "", nil
	}
	lines := strings.Fields(string(data))
	return lines[0], lines[1:]
}

// KnownVersion of a flavor, whose settings are known; empty for a flavor of which none is.
func KnownVersion(flavor string) string {
	version, _ := variablesOf(flavor)
	return version
}

// Knows says whether the settings of a server of the flavor and version are known, so that Doubts checks all of them.
func Knows(flavor, version string) bool {
	of := KnownVersion(flavor)
	return of != "" && (version == of || strings.HasPrefix(version, of+"."))
}

// Doubts are the settings that a server of the flavor and version probably does not know, by their names, each with what was
// meant where a known one is near. There are none for a flavor whose settings are not known. Of another version than the one that
// is known, and of a server that loads a plugin, only a name that is nearly a known one is doubted. An empty version is not known.
func Doubts(flavor, version string, settings []contract.Setting) map[string]string {
	of, names := variablesOf(flavor)
	if of == "" {
		return nil
	}
	same := Knows(flavor, version)
	plugins := slices.ContainsFunc(settings, func(s contract.Setting) bool {
		return strings.Contains(CanonicalName(s.Name), "plugin_load")
	})
	out := map[string]string{}
	for _, s := range settings {
		name := CanonicalName(s.Name)
		near := nearest.To(bare(name), names)
		if isKnown(name, names) || near == "" && (!same || plugins) {
			continue
		}
		meant, effect := ".", "A server does not start with a setting that it does not know"
		if near != "" {
			meant = ": did you mean " + near + "?"
		}
		if strings.HasPrefix(name, loose) {
			effect = "With loose_ the server ignores what it does not know"
		}
		out[s.Name] = fmt.Sprintf("%s %s has no such setting%s %s", flavor, of, meant, effect)
	}
	return out
}

// NameIn a server of the flavor and version is the first of the names that it has; empty where it has none, and where its variables
// are not known.
func NameIn(flavor, version string, names []string) string {
	_, variables := variablesOf(flavor)
	if !Knows(flavor, version) {
		return ""
	}
	for _, name := range names {
		if slices.Contains(variables, name) {
			return name
		}
	}
	return ""
}

// bare is a name without the prefixes that form other names of an option.
func bare(name string) string {
	for _, p := range prefixes {
		if rest, cut := strings.CutPrefix(name, p); cut {
			return bare(rest)
		}
	}
	return name
}

// isKnown says whether a name is that of a variable, or of an option that no variable shows.
func isKnown(name string, variables []string) bool {
	name = strings.ToLower(name)
	if slices.Contains(variables, name) || unshown(name) || shownAs[name] != "" {
		return true
	}
	short := bare(name)
	return short != name && isKnown(short, variables)
}
