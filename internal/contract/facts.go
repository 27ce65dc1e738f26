package contract

import (
	"maps"
	"slices"
	"strings"
)

const (
	// MaxFacts of a trial are recorded.
	MaxFacts = 250
	// maxFact is the length of a value, in bytes. Longer ones are cut.
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
		lines = append(lines, Cut(name, MaxName)+"="+Cut(value, maxFact))
	}
	return Facts(strings.Join(lines[:min(len(lines), MaxFacts)], "\n"))
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
