package settings

import (
	"math/big"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Words for the two positions of a switch, in lower case.
var (
	truthy = map[string]bool{"on": true, "1": true, "true": true, "yes": true}
	falsy  = map[string]bool{"off": true, "0": true, "false": true, "no": true}
)

// fulfilled reports whether the effective value of a variable is the requested one.
func (w wish) fulfilled(effective, datadir string) bool {
	have := strings.HasPrefix(w.variable, "have_")
	off := falsy[strings.ToLower(effective)] || (have && effective == "DISABLED")
	switch {
	case w.value == effective:
		return true
	case w.bare:
		return !off
	case have && falsy[strings.ToLower(w.value)]:
		return off
	case w.variable == "log_bin" && !falsy[strings.ToLower(w.value)]:
		// The value of the option is the name of a file; the variable is a switch.
		return !off
	case strings.HasPrefix(w.variable, "character_set_") || strings.HasPrefix(w.variable, "collation_"):
		return sameCharset(w.value, effective)
	}
	return sameValue(w.variable, w.value, effective, datadir)
}

// sameValue reports whether two texts are the same value of a variable of unknown type: it tries each kind of value.
func sameValue(variable, requested, effective, datadir string) bool {
	if names, known := enumerations[variable]; known {
		if i, err := strconv.Atoi(requested); err == nil {
			return i >= 0 && i < len(names) && strings.EqualFold(names[i], effective)
		}
	}
	return sameSwitch(requested, effective) || sameInteger(requested, effective) || sameFloat(requested, effective) ||
		sameFlags(requested, effective) || sameSet(variable, requested, effective) || samePath(requested, effective, datadir)
}

func sameSwitch(requested, effective string) bool {
	r, e := strings.ToLower(requested), strings.ToLower(effective)
	return (truthy[r] && truthy[e]) || (falsy[r] && falsy[e])
}

// integer is an integer for a server: decimal, with an optional binary suffix.
var integer = regexp.MustCompile(`^([+-]?[0-9]{1,40})([kKmMgGtTpPeE]?)$`)

// binarySuffixes in the order of their powers of 1024.
const binarySuffixes = "kmgtpe"

func sameInteger(requested, effective string) bool {
	r, e := parseInteger(requested), parseInteger(effective)
	return r != nil && e != nil && r.Cmp(e) == 0
}

// parseInteger returns nil for text that is not an integer.
func parseInteger(text string) *big.Int {
	m := integer.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	n, ok := new(big.Int).SetString(m[1], 10)
	if !ok {
		return nil
	}
	if m[2] != "" {
		power := strings.Index(binarySuffixes, strings.ToLower(m[2])) + 1
		n.Lsh(n, uint(10*power))
	}
	return n
}

var decimal = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)

// sameFloat compares the six decimals that servers show.
func sameFloat(requested, effective string) bool {
	_, fraction, _ := strings.Cut(effective, ".")
	r, rok := roundTo(requested, len(fraction))
	e, eok := roundTo(effective, len(fraction))
	if !rok || !eok {
		return false
	}
	// A variable without digits behind the point is a whole number, which 1.5 is not.
	return r == e && (fraction != "" || sameWhole(requested, e))
}

func sameWhole(requested, rounded string) bool {
	r, rerr := strconv.ParseFloat(requested, 64)
	e, eerr := strconv.ParseFloat(rounded, 64)
	return rerr == nil && eerr == nil && r == e
}

func roundTo(text string, digits int) (string, bool) {
	if !decimal.MatchString(text) {
		return "", false
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return "", false
	}
	return strconv.FormatFloat(n, 'f', digits, 64), true
}

var flag = regexp.MustCompile(`(?i)^([a-z0-9_]+)=(on|off|default)$`)

// sameFlags compares values such as optimizer_switch, where a setting names only some flags.
// Only the server knows the defaults of the others.
func sameFlags(requested, effective string) bool {
	shown := map[string]string{}
	for _, item := range items(effective) {
		m := flag.FindStringSubmatch(item)
		if m == nil {
			return false
		}
		shown[m[1]] = m[2]
	}
	wanted := map[string]string{}
	for _, item := range items(requested) {
		m := flag.FindStringSubmatch(item)
		switch {
		case m != nil:
			wanted[m[1]] = m[2]
		case item == "default":
			clear(wanted)
		default:
			return false
		}
	}
	for name, value := range wanted {
		if now, known := shown[name]; !known || (value != "default" && value != now) {
			return false
		}
	}
	return len(shown) > 0
}

// sameSet compares lists without their order, and single words without their case.
func sameSet(variable, requested, effective string) bool {
	r, e := items(requested), items(effective)
	if slices.Equal(r, e) {
		// File names may differ only by case.
		return !strings.Contains(effective, "/")
	}
	if len(e) == 0 {
		// Servers print no name for a set that was given as the number 0.
		return requested == "0"
	}
	if variable != "sql_mode" {
		return false
	}
	return sameMode(r, e)
}

// sameMode compares sets in which some words stand for several.
func sameMode(requested, effective []string) bool {
	for _, mode := range requested {
		if !slices.Contains(effective, mode) {
			return false
		}
	}
	for _, mode := range effective {
		implied := func(r string) bool { return slices.Contains(combinations[r], mode) }
		if !slices.Contains(requested, mode) && !slices.ContainsFunc(requested, implied) {
			return false
		}
	}
	return true
}

// items are the words of a list, each once, in lower case and sorted.
func items(list string) []string {
	var out []string
	for _, item := range strings.Split(strings.ToLower(list), ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// samePath ignores a trailing slash. A server shows some file names with the data directory as prefix.
func samePath(requested, effective, datadir string) bool {
	if requested == "" || !strings.Contains(effective, "/") {
		return false
	}
	clean := path.Clean(effective)
	return path.Clean(requested) == clean || (datadir != "" && path.Join(datadir, requested) == clean)
}

// sameCharset accepts both character sets that utf8 can mean, depending on the server and its old_mode.
func sameCharset(requested, effective string) bool {
	r, e := strings.ToLower(requested), strings.ToLower(effective)
	if r == e {
		return true
	}
	rest, short := strings.CutPrefix(r, "utf8")
	return short && (e == "utf8mb3"+rest || e == "utf8mb4"+rest)
}
