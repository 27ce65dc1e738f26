package engine

import (
	"fmt"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

// Refuse returns all reasons to refuse a user's settings: those of settings.Validate, and names
// that mean nothing to the server, neither as a variable (Facts.Variable) nor otherwise (Unshown).
func (e Engine) Refuse(field string, user []contract.Setting) []error {
	refusals := settings.Validate(e.Owned, field, user)
	for _, s := range user {
		name := Bare(s.Name)
		_, owned := e.Owned[name]
		hidden := e.Facts.Unshown != nil && e.Facts.Unshown(name)
		if !owned && !hidden && e.Facts.Variable != nil && !e.Facts.Variable(name) {
			refusals = append(refusals, fmt.Errorf("%s.%s: %s has no such setting, or shows it for compatibility and ignores it: remove it", field, s.Name, e.Flavor))
		}
	}
	return refusals
}
