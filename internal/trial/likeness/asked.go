package likeness

import (
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

// asked is what the spec sets for a server, by the names of its variables. What it sets differently for two sides is what
// a comparison of them compares. A value that a server changes by itself, because of it or not, is none of it.
type asked struct {
	variables map[string]string
	// of is the server, for what the spec does not set.
	of server
}

// askedOf a server, as it interprets the settings.
func askedOf(s server, set []contract.Setting) asked {
	shown := map[string]string{}
	for name, value := range s.facts {
		shown[strings.TrimPrefix(name, setPrefix)] = value
	}
	return asked{settings.Variables(set, shown), s}
}

// differ says whether the spec sets a setting of the catalogue on one side only, or to values that mean different things.
func (a asked) differ(b asked, set Setting) bool {
	x, first := a.valueOf(set)
	y, second := b.valueOf(set)
	return first != second || first && !x.like(y) && !settings.SameValue(set.Name, x.means, y.means)
}

// differIn a variable outside of the catalogue.
func (a asked) differIn(b asked, variable string) bool {
	x, first := a.variables[variable]
	y, second := b.variables[variable]
	return first != second || first && !settings.SameValue(variable, x, y)
}

// valueOf a setting that the spec sets under one of its names. The size of the redo log may be that of its files times their
// number, of which the spec may set one.
func (a asked) valueOf(set Setting) (spelt, bool) {
	names, s := set.names(), server{facts: map[string]string{}, family: a.of.family, engine: a.of.engine}
	if set.Name == redoCapacity {
		for _, helper := range redoFiles {
			if value, is := a.of.facts[helper]; is {
				s.facts[helper] = value
			}
		}
		names = append(names, redoFiles...)
	}
	there := false
	for _, name := range names {
		if value, is := a.variables[name]; is {
			s.facts[name], there = value, true
		}
	}
	if !there {
		return spelt{}, false
	}
	_, value, there := s.named(set)
	return value, there
}
