package drivers

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/engines/servererror"
)

// What a harness cannot do is found out here from its answer to hello, once for all languages, so
// that nothing is asked of it that it has not named.

// Names beside the schemes of what a driver can do.
const (
	canPool        = "Pool"
	canEncode      = "Encode"
	canConcurrency = "Concurrency"
)

// Types of options in the answer to hello, and what their texts have to be.
var optionTypes = map[string]func(text string) bool{
	"text":    func(string) bool { return true },
	"boolean": func(text string) bool { return text == "true" || text == "false" },
	"integer": func(text string) bool { _, err := strconv.ParseUint(text, 10, 63); return err == nil },
	"number":  func(text string) bool { _, err := strconv.ParseFloat(text, 64); return err == nil },
}

// capabilitiesOf a driver in the answer to hello.
func (a answer) capabilitiesOf(driver string) (capabilities, bool) {
	i := slices.IndexFunc(a.Drivers, func(c capabilities) bool { return c.Name == driver })
	if i < 0 {
		return capabilities{}, false
	}
	return a.Drivers[i], true
}

// refused is why a harness cannot open connections of this driver; empty if it can.
func (d Driver) refused(hello answer) string {
	has, there := hello.capabilitiesOf(d.Name)
	if !there {
		var names []string
		for _, other := range hello.Drivers {
			names = append(names, other.Name)
		}
		return fmt.Sprintf("%s has no driver %s here; it has: %s", hello.Language, d.Name, strings.Join(names, ", "))
	}
	if d.Version != "" && !slices.Contains(has.Versions, d.Version) {
		return fmt.Sprintf("%s is here in version %s, not %s", d.Name, strings.Join(has.Versions, ", "), d.Version)
	}
	if has.Options == nil {
		return "" // only the driver itself knows its options
	}
	for _, name := range slices.Sorted(maps.Keys(d.Options)) {
		kind, known := has.Options[name]
		if !known {
			return fmt.Sprintf("%s has no option %s here; it has: %s", d.Name, name,
				cmp.Or(strings.Join(slices.Sorted(maps.Keys(has.Options)), ", "), "none"))
		}
		if fits, known := optionTypes[kind]; known && !fits(d.Options[name]) {
			return fmt.Sprintf("the option %s of %s has to be %s, not %s", name, d.Name, kind, d.Options[name])
		}
	}
	return ""
}

// refused is why the driver of a cell cannot do it; empty if it can.
func (c cell) refused(hello answer) string {
	wanted := []string{cmp.Or(c.scheme, singleRow)}
	switch {
	case c.operation.kind == kindConnect:
		wanted = nil
	case c.operation.kind == kindEncode:
		wanted = []string{canEncode}
	case c.session == canPool:
		wanted = append(wanted, canPool)
	}
	if c.concurrency > 1 {
		wanted = append(wanted, canConcurrency)
	}
	has, _ := hello.capabilitiesOf(c.driver.Name)
	for _, what := range wanted {
		if _, able := has.Can[what]; !able {
			return fmt.Sprintf("%s cannot do %s: %s", c.driver.Name, what, cmp.Or(has.Cannot[what], "it has no such call"))
		}
	}
	return ""
}

// loginMethods are codes, beside the numbers of servers, and words of drivers and servers that say: the one does not know how to
// log in in the way of the other. Nothing is wrong with the password then, nor with the server.
var loginMethods = struct {
	codes []string
	words *regexp.Regexp
}{
	codes: []string{
		"ER_NOT_SUPPORTED_AUTH_MODE", // of the server: the client is too old for the account
		"ER_PLUGIN_IS_NOT_LOADED",    // of the server: it has no such plugin
		"5010", "5012",               // of the C library of MariaDB: no such plugin, or not one that it may use
		"AUTH_SWITCH_PLUGIN_ERROR", "UNSUPPORTED_AUTH_METHOD", // mysql2 and mysql of Node.js
		"ER_AUTHENTICATION_PLUGIN_NOT_SUPPORTED", // mariadb of Node.js
	},
	words: regexp.MustCompile(`(?i)unknown auth(entication)? (plugin|protocol)|unable to load authentication plugin|` +
		`auth(entication)? (plugin|method)\b.*(not supported|unknown)|plugin is insecure and disabled|` +
		`mysql_clear_password must be enabled|user requires .* authentication|required protocol 41|NotSupportedError`),
}

// isLoginMethod says whether a driver that failed to connect does not know how to log in.
func (a answer) isLoginMethod() bool {
	return servererror.Of(a.Code) == servererror.LoginMethod || slices.Contains(loginMethods.codes, a.Code) || loginMethods.words.MatchString(a.Reason)
}
