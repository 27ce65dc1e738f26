package likeness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// maxNamed differences are named in a line.
	maxNamed = 4
	// maxUnlike is the length of what Unlike says, in bytes: each of thousands of comparisons repeats it.
	maxUnlike = 700
)

// Objections are the listed differences that matter and are not part of the factor.
func (c Comparison) Objections() []Difference {
	var out []Difference
	for _, d := range c.Differences {
		if d.Matters && !d.OfFactor {
			out = append(out, d)
		}
	}
	return out
}

// inWords is a value inside a sentence.
func inWords(value string) string {
	switch value {
	case "ON", "OFF", "NONE":
		return strings.ToLower(value)
	case "":
		return "unset"
	}
	return value
}

func line(begin string, all []Difference, of func(Difference) string) string {
	if len(all) == 0 {
		return ""
	}
	var words []string
	for _, d := range all[:min(len(all), maxNamed)] {
		words = append(words, of(d))
	}
	text := begin + strings.Join(words, ", ")
	if more := len(all) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Unlike says why a comparison that requires its sides to be alike in the classes must be
// inconclusive: they differ, or nothing is known. Empty when they are alike.
func (c Comparison) Unlike(required []Class) string {
	var texts []string
	for _, class := range required {
		var of []Difference
		for _, d := range c.Differences {
			if d.Class == class && !d.OfFactor {
				of = append(of, d)
			}
		}
		switch {
		case len(of) > 0:
			texts = append(texts, line(string(class)+" differs: ", of, func(d Difference) string {
				return fmt.Sprintf("%s (%s: %s, %s: %s)", d.Name, c.first, inWords(d.First), c.second, inWords(d.Second))
			}))
		case slices.Contains(c.Unknown, class):
			texts = append(texts, fmt.Sprintf("%s is not known of both sides", class))
		}
	}
	return contract.Cut(strings.Join(texts, "; "), maxUnlike)
}
