package likeness

import "slices"

// Meaning is why a difference in a setting or another fact matters; empty where nothing is known of it.
func Meaning(name string) string {
	for _, s := range Catalogue() {
		if slices.Contains(s.names(), name) {
			return s.Why
		}
	}
	for _, rule := range factRules {
		if rule.name == name {
			return rule.why
		}
	}
	return ""
}
