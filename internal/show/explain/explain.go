package explain

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"
)

// Kind is what an entry explains.
type Kind string

const (
	// Reason of a condition, or of a failed trial.
	Reason Kind = "reason"
	// Check of results, whose name a finding carries.
	Check Kind = "check"
)

// Entry explains one reason or one check.
type Entry struct {
	Kind Kind `json:"-"`
	// Name as it stands in a status, such as Queued or little.
	Name string `json:"name"`
	// Family of a reason, such as "Permanent: the spec, or what it names, has to change."; of a check, what its group looks at.
	Family string `json:"-"`
	// Severities that a finding of the check can have, the worst first. Empty for reasons.
	Severities []string `json:"-"`
	// Meaning in one paragraph of Markdown. Links are relative to docs/reference.
	Meaning string `json:"meaning,omitempty"`
	// Who has to act, in words. Empty for checks.
	Who string `json:"who,omitempty"`
	// Causes that are known, the most usual first. Empty where nothing is wrong.
	Causes []string `json:"causes,omitempty"`
	// Remedies are what to do, the first thing first.
	Remedies []string `json:"do"`
	// Example is a message as a user sees it.
	Example string `json:"example"`
	// See are further pages, relative to docs/reference.
	See []string `json:"see,omitempty"`
}

//go:embed texts/*.yaml
var texts embed.FS

// actors are who can have to act, in words.
var actors = map[string]string{
	"nobody":        "nobody",
	"author":        "the author of the run",
	"administrator": "the administrator of Assay",
	"nodes":         "the owner of the nodes",
	"server":        "the owner of the external server",
	"report":        "nobody: report it to the developers of Assay if it stays",
}

// severities of findings, the worst first: the names of the files of checks.
var severities = []string{"Invalid", "Disturbed", "Warning", "Note"}

// Group is a family of checks as the reference shows it.
type Group struct {
	// Severity that the checks of the group have at worst.
	Severity string
	// Title in Markdown; empty for the only group of its severity.
	Title   string
	Entries []Entry
}

// Checks returns all checks, in the order of the reference.
func Checks() ([]Group, error) {
	var out []Group
	for _, severity := range severities {
		var groups []struct {
			Title  string `json:"title"`
			Checks []struct {
				Entry
				Severity string   `json:"severity"`
				Also     []string `json:"also"`
			} `json:"checks"`
		}
		if err := read("checks-"+strings.ToLower(severity), &groups); err != nil {
			return nil, err
		}
		for _, g := range groups {
			group := Group{Severity: severity, Title: g.Title}
			for _, c := range g.Checks {
				c.Kind, c.Family, c.Severities = Check, Plain(g.Title), append([]string{cmp.Or(c.Severity, severity)}, c.Also...)
				group.Entries = append(group.Entries, c.Entry)
			}
			out = append(out, group)
		}
	}
	return out, nil
}

// Reasons returns all reasons, in the order of the API. One without a text is an error.
func Reasons() ([]Entry, error) {
	given := map[string]Entry{}
	for _, part := range []string{"states", "spec", "parts", "attempt", "schedules"} {
		var list []Entry
		if err := read("reasons-"+part, &list); err != nil {
			return nil, err
		}
		for _, r := range list {
			who, known := actors[r.Who]
			if _, twice := given[r.Name]; twice || !known {
				return nil, fmt.Errorf("texts/reasons-%s.yaml: %s: it is there twice, or %q is nobody who acts", part, r.Name, r.Who)
			}
			r.Who = who
			given[r.Name] = r
		}
	}
	out := make([]Entry, 0, len(reasons))
	for _, r := range reasons {
		e, is := given[r.name]
		if !is {
			return nil, fmt.Errorf("the reason %s has no text: add it to internal/show/explain/texts", r.name)
		}
		e.Kind, e.Name, e.Family, e.Meaning = Reason, r.name, r.family, r.meaning
		out = append(out, e)
		delete(given, r.name)
	}
	for name := range given {
		return nil, fmt.Errorf("texts: %s is no reason of the API", name)
	}
	return out, nil
}

// All returns every reason and every check, which are read once.
var All = sync.OnceValues(func() ([]Entry, error) {
	all, err := Reasons()
	groups, errChecks := Checks()
	for _, g := range groups {
		all = append(all, g.Entries...)
	}
	return all, errors.Join(err, errChecks)
})

// Find returns the entry of a name. Upper and lower case, and hyphens, count only where two names differ in nothing else.
// Without an entry, it returns names that are similar.
func Find(name string) (entry Entry, similar []string, err error) {
	all, err := All()
	if err != nil {
		return Entry{}, nil, err
	}
	asked := folded(name)
	for _, e := range all {
		have := folded(e.Name)
		if e.Name == name {
			return e, nil, nil
		}
		if have == asked && (entry.Name == "" || strings.EqualFold(e.Name, name)) {
			entry = e
		}
		if asked != "" && (strings.Contains(have, asked) || strings.Contains(asked, have)) {
			similar = append(similar, e.Name)
		}
	}
	if entry.Name != "" {
		return entry, nil, nil
	}
	slices.Sort(similar)
	return Entry{}, similar, nil
}

// folded is a name without case and hyphens.
func folded(name string) string { return strings.ReplaceAll(strings.ToLower(name), "-", "") }

// read decodes a file of the texts.
func read(name string, into any) error {
	data, err := texts.ReadFile("texts/" + name + ".yaml")
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(data, into); err != nil {
		return fmt.Errorf("texts/%s.yaml: %w", name, err)
	}
	return nil
}
