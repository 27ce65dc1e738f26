package likeness

import "slices"

// Known is what the catalogue knows of a setting, by any of its names; false for what it does not have.
func Known(name string) (Setting, bool) {
	all := Catalogue()
	if i := slices.IndexFunc(all, func(s Setting) bool { return slices.Contains(s.names(), name) }); i >= 0 {
		return all[i], true
	}
	return Setting{}, false
}

// OneName says whether each server that has a value of the setting has the variable under this name.
func (s Setting) OneName() bool { return len(s.ServerNames()) == 1 && s.Absent == "" }

// ServerNames are the variables of servers that set it. The size of the redo log may be that of its files.
func (s Setting) ServerNames() []string {
	if s.Name == redoCapacity {
		return append(s.names(), redoFileSize)
	}
	return s.names()
}

// Meaning is why a difference in a setting or another fact matters; empty where nothing is known of it.
func Meaning(name string) string {
	if s, known := Known(name); known {
		return s.Why
	}
	for _, rule := range factRules {
		if rule.name == name {
			return rule.why
		}
	}
	return ""
}
