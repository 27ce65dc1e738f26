package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	// MaxFacts of a trial are recorded.
	MaxFacts = 250
	// maxFact is the length of a value, in bytes. Longer ones are cut, with their digest: what differs
	// behind the cut still differs.
	maxFact = 160
)

// Facts are the circumstances of a trial, such as settings of the server and the model of the
// CPU: one line "name=value" each, in the order of the names. They are one text, because those of
// most trials of a run are the same, and a reader keeps each text once.
type Facts string

// NewFacts are those with a value, at most MaxFacts in the order of their names.
func NewFacts(values map[string]string) Facts {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := strings.Join(strings.Fields(values[name]), " ")
		if value == "" || name == "" || strings.ContainsAny(name, "=\n") {
			continue
		}
		lines = append(lines, Cut(name, MaxName)+"="+cutFact(value))
	}
	return Facts(strings.Join(lines[:min(len(lines), MaxFacts)], "\n"))
}

func cutFact(value string) string {
	value = Line(value)
	if len(value) <= maxFact {
		return value
	}
	mark := fmt.Sprintf("... (%d bytes, sha256 %.12s)", len(value), Digest([]byte(value)))
	return CutTo(value, maxFact-len(mark)) + mark
}

// Map of the names to the values.
func (f Facts) Map() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(string(f)) {
		if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "="); ok {
			out[name] = value
		}
	}
	return out
}

// Get the value of a name; empty without one. It makes no map of all.
func (f Facts) Get(name string) string {
	for line := range strings.Lines(string(f)) {
		if is, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "="); is == name {
			return value
		}
	}
	return ""
}
