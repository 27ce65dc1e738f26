package rules

import (
	"fmt"
	"slices"
	"strings"
)

// exception of a rule: how large something may be until it is mended.
type exception struct {
	rule, where string
	size        int
}

// parseExceptions reads lines of rule, place and number, with tabs between them. Empty
// lines and those that begin with # are left out.
func parseExceptions(text string) ([]exception, error) {
	var out []exception
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		var e exception
		parts := strings.Split(line, "\t")
		if len(parts) != 3 {
			return nil, fmt.Errorf("exception %q: want a rule, a place and a number, with tabs between them", line)
		}
		e.rule, e.where = parts[0], parts[1]
		if _, err := fmt.Sscanf(parts[2], "%d", &e.size); err != nil {
			return nil, fmt.Errorf("exception %q: %w", line, err)
		}
		out = append(out, e)
	}
	return out, nil
}

// formatExceptions writes them below the comment at the head of the old text.
func formatExceptions(old string, exceptions []exception) string {
	var out strings.Builder
	for line := range strings.Lines(old) {
		if !strings.HasPrefix(line, "#") {
			break
		}
		out.WriteString(line)
	}
	for _, e := range exceptions {
		fmt.Fprintf(&out, "%s\t%s\t%d\n", e.rule, e.where, e.size)
	}
	return out.String()
}

// compare says what is wrong: violations without an exception, or above its number, and
// exceptions that are too high. kept are the exceptions that are still needed, at their
// present numbers.
func compare(violations []violation, exceptions []exception) (problems []string, kept []exception) {
	needed := map[exception]bool{}
	for _, v := range violations {
		at := slices.IndexFunc(exceptions, func(e exception) bool { return e.rule == v.rule && e.where == v.where })
		if at < 0 {
			problems = append(problems, v.String())
			continue
		}
		e := exceptions[at]
		needed[e] = true
		switch {
		case v.size > e.size:
			problems = append(problems, fmt.Sprintf("%s, and the exception has %d", v, e.size))
		case v.size < e.size:
			problems = append(problems, fmt.Sprintf("%s: %s: better than its exception, %d for %d: go test ./test/unit/rules -update", v.where, v.rule, v.size, e.size))
			e.size = v.size
		}
		kept = append(kept, e)
	}
	for _, e := range exceptions {
		if !needed[e] {
			problems = append(problems, fmt.Sprintf("%s: %s: needs no exception any more: go test ./test/unit/rules -update", e.where, e.rule))
		}
	}
	return problems, kept
}
