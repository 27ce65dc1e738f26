package settings

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// serverGroups are the groups of a my.cnf file that are read. All servers read the first two;
// MariaDB also reads the others.
var serverGroups = map[string]bool{"mysqld": true, "server": true, "mariadb": true, "mariadbd": true}

// versionedGroup is a group for one version of the server only.
var versionedGroup = regexp.MustCompile(`^(mysqld|mariadb|mariadbd|server)-[0-9]`)

// parseCnf reads a my.cnf file in the syntax of mysys/my_default.c. Groups of other programs are skipped. All errors
// are returned together, each with the number of its line.
func parseCnf(text string) ([]contract.Setting, error) {
	var out []contract.Setting
	var errs []error
	wanted, grouped := false, false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		var err error
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '!':
			err = fmt.Errorf("%s is not supported: a server in a pod has only this file; put the settings here", firstWord(line))
		case line[0] == '[':
			grouped = true
			wanted, err = parseGroup(line)
		case !grouped:
			err = errors.New("an option before the first group: put [mysqld] above it")
		case wanted:
			var s contract.Setting
			if s, err = parseOption(line); err == nil {
				out = append(out, s)
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", i+1, err))
		}
	}
	return out, errors.Join(errs...)
}

// parseGroup reports whether the settings of a group are read.
func parseGroup(line string) (bool, error) {
	inner, rest, closed := strings.Cut(line[1:], "]")
	rest = strings.TrimSpace(rest)
	if !closed || (rest != "" && rest[0] != '#' && rest[0] != ';') {
		return false, fmt.Errorf("%q is not a group: write [mysqld]", line)
	}
	group := strings.TrimSpace(inner)
	// Whether such a group counts depends on the version of the server, which is unknown when files are merged.
	if versionedGroup.MatchString(group) {
		return false, fmt.Errorf("the group [%s] is for one version of the server: put its settings into [mysqld] of a ConfigMap for that target", group)
	}
	return serverGroups[group], nil
}

func parseOption(line string) (contract.Setting, error) {
	line = cutComment(line)
	name, value, hasValue := strings.Cut(line, "=")
	name = CanonicalName(strings.TrimSpace(name))
	if !validName.MatchString(name) {
		return contract.Setting{}, fmt.Errorf("%q is not the name of an option: write name = value", name)
	}
	value = strings.TrimSpace(value)
	if hasValue {
		value = unescape(unquote(value))
		if value == "" {
			value = emptyString
		}
	}
	return contract.Setting{Name: name, Value: value}, nil
}

// cutComment removes what follows a # outside of quotes.
func cutComment(line string) string {
	var quote byte
	escaped := false
	for i := range len(line) {
		c := line[i]
		switch {
		case (c == '\'' || c == '"') && !escaped && quote == 0:
			quote = c
		case c == quote && !escaped:
			quote = 0
		case c == '#' && quote == 0:
			return strings.TrimSpace(line[:i])
		}
		escaped = quote != 0 && c == '\\' && !escaped
	}
	return line
}

func unquote(value string) string {
	last := len(value) - 1
	if last > 0 && (value[0] == '"' || value[0] == '\'') && value[last] == value[0] {
		return value[1:last]
	}
	return value
}

// escapes are the characters after a backslash and what they stand for.
var escapes = map[byte]byte{
	'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 's': ' ', '"': '"', '\'': '\'', '\\': '\\',
}

// unescape keeps the backslash of an unknown escape, as servers do.
func unescape(value string) string {
	var out strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] == '\\' && i+1 < len(value) {
			if c, known := escapes[value[i+1]]; known {
				out.WriteByte(c)
				i++
				continue
			}
		}
		out.WriteByte(value[i])
	}
	return out.String()
}

func firstWord(line string) string { return strings.Fields(line)[0] }
