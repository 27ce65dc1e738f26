package experiment

import (
	"errors"
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Refusal is an error that only the user can mend.
type Refusal struct {
	// Reason and Message of the condition Accepted.
	Reason, Message string
}

func (r *Refusal) Error() string { return r.Message }

// Refuse a spec; the message names the field and the remedy.
func Refuse(reason, format string, args ...any) error {
	return &Refusal{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// RefusalOf an error. What refuses is pure, and would end alike when it is tried again: every error is one of the spec.
func RefusalOf(err error) *Refusal {
	var r *Refusal
	if errors.As(err, &r) {
		return r
	}
	return &Refusal{Reason: v1alpha1.ReasonInvalidSpec, Message: err.Error()}
}
