package design

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/nearest"
	"github.com/assay-bench/assay/internal/ground/settings"
)

// server of a manifest.
type server struct {
	Name, Flavor, Version string
	Settings              []contract.Setting
}

// notInNames are characters that the name of a target or a shape cannot have.
var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// asName is a text with hyphens for what a name cannot have.
func asName(text string) string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(text), "-"), "-")
}

// flavors of the servers that Assay provides.
func flavors() (names []string) {
	for _, e := range engines.All() {
		names = append(names, e.Flavor)
	}
	return names
}

// serverOf a text such as new=MySQL:9.7,innodb_flush_log_at_trx_commit=1.
func serverOf(text string) (server, error) {
	head, rest, _ := strings.Cut(text, ",")
	name, what, named := strings.Cut(head, "=")
	if !named {
		name, what = "", head
	}
	name = strings.TrimSpace(name)
	flavor, version, _ := strings.Cut(strings.TrimSpace(what), ":")
	e, known := flavorOf(flavor)
	switch {
	case !known && version != "":
		return server{}, fmt.Errorf("%q: %q is no flavor%s: use one of %s", contract.Line(text), contract.Line(flavor), didYouMean(nearest.To(flavor, flavors())), strings.Join(flavors(), ", "))
	case !known || version == "" || named && name == "":
		return server{}, fmt.Errorf("%q is no target: write FLAVOR:VERSION or NAME=FLAVOR:VERSION, such as MySQL:9.7, with one of %s, and settings of the server behind a comma", contract.Line(text), strings.Join(flavors(), ", "))
	case name == "":
		name = asName(e.Flavor + "-" + version)
	}
	list, err := settingsOf(rest)
	if err == nil {
		err = errors.Join(settings.Validate(e.Owned, "config", list)...)
	}
	if err != nil {
		return server{}, fmt.Errorf("%s: %w", contract.Line(head), err)
	}
	return server{name, e.Flavor, version, list}, nil
}

// flavorOf a name, whatever its case.
func flavorOf(name string) (engine.Engine, bool) {
	for _, e := range engines.All() {
		if strings.EqualFold(e.Flavor, name) {
			return e, true
		}
	}
	return engine.Engine{}, false
}

func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	return " (did you mean " + name + "?)"
}

// settingsOf a text such as sql_mode="ANSI,TRADITIONAL",max_connections=500. A value with commas is in quotes.
func settingsOf(text string) (out []contract.Setting, err error) {
	parts, err := split(text)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		name, value, has := strings.Cut(part, "=")
		if name, value = strings.TrimSpace(name), strings.TrimSpace(value); !has || name == "" {
			return nil, fmt.Errorf(`%q is no setting: write NAME=VALUE, NAME= for one without a value, and a value with commas in quotes, such as sql_mode="ANSI,TRADITIONAL"`, contract.Line(part))
		}
		if slices.ContainsFunc(out, func(s contract.Setting) bool {
			return settings.CanonicalName(s.Name) == settings.CanonicalName(name)
		}) {
			return nil, fmt.Errorf("the setting %s is there twice", contract.Line(name))
		}
		if n := len(value); n > 2 && strings.ContainsRune(`"'`, rune(value[0])) && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		if value == `""` {
			value = "''"
		}
		out = append(out, contract.Setting{Name: name, Value: value})
	}
	return out, nil
}

// split a text at the commas that are not in quotes. A quote begins a value: one within a value is a letter of it.
func split(text string) (parts []string, err error) {
	var quote rune
	begin, before := 0, ','
	for i, c := range text {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && before == '=' && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == ',':
			parts, begin = append(parts, text[begin:i]), i+1
		}
		if c != ' ' {
			before = c
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("%q: the quote %c has no end", contract.Line(text[begin:]), quote)
	}
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	return append(parts, text[begin:]), nil
}

// serversOf texts; names are unique.
func serversOf(texts []string) (out []server, err error) {
	if len(texts) == 0 {
		return nil, errors.New("name a server with --target, such as --target MySQL:9.7; two are compared with each other")
	}
	for _, text := range texts {
		s, err := serverOf(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o server) bool { return o.Name == s.Name }) {
			return nil, fmt.Errorf("two targets have the name %s: give them names, such as --target old=%s:%s", contract.Line(s.Name), s.Flavor, s.Version)
		}
		out = append(out, s)
	}
	return out, nil
}
