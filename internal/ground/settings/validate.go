package settings

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// validName matches names of options: the name of a variable, with an optional prefix such as
// loose_, and a dot for a component or a key cache.
var validName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)?$`)

// maxValue in bytes. Servers read lines of at most 4095 bytes and treat the rest of a longer
// line as another line; escaping can double a value.
const maxValue = 1900

// prefixes form other names of an option.
var prefixes = []string{loose, "skip_", "disable_", "enable_", "maximum_"}

// Validate returns all reasons to refuse the settings, given those that the engine owns; each
// names the field, the reason and the remedy. The server checks the values.
func Validate(owned map[string]string, field string, settings []contract.Setting) []error {
	var refusals []error
	for _, s := range settings {
		if err := check(owned, s); err != nil {
			refusals = append(refusals, fmt.Errorf("%s.%s: %w", field, s.Name, err))
		}
	}
	return refusals
}

func check(owned map[string]string, s contract.Setting) error {
	name := CanonicalName(s.Name)
	if !validName.MatchString(name) {
		return errors.New("not the name of an option: use letters, digits and underscores")
	}
	if reason, yes := owns(owned, name); yes {
		return fmt.Errorf("set by Assay (%s): remove it", reason)
	}
	if len(s.Value) > maxValue {
		return fmt.Errorf("the value has %d bytes: servers read at most %d here", len(s.Value), maxValue)
	}
	for _, c := range []byte(s.Value) {
		if c < ' ' && !strings.ContainsRune("\n\r\t\b", rune(c)) {
			return fmt.Errorf("the value has the control character %#02x, which my.cnf cannot express: remove it", c)
		}
	}
	return nil
}

// owns finds the name among the owned settings, with and without prefixes.
func owns(owned map[string]string, name string) (reason string, yes bool) {
	name = strings.ToLower(name)
	if reason, yes := owned[name]; yes {
		return reason, true
	}
	for _, p := range prefixes {
		if bare, cut := strings.CutPrefix(name, p); cut {
			return owns(owned, bare)
		}
	}
	return "", false
}
