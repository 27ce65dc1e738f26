package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Decode reads a runner's part of the spec strictly into its type of the API, and checks what a schema cannot
// express: a field that is not understood would silently change what is measured. Defaults are filled in and
// bounds are checked by then (internal/ground/apischema). Its own errors begin with workload.NAME.
func Decode[P any](name string, workload json.RawMessage, check func(P) error) (params P, err error) {
	var none P
	dec := json.NewDecoder(bytes.NewReader(workload))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&params); err != nil {
		return none, fmt.Errorf("workload.%s: %w", name, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return none, fmt.Errorf("workload.%s: more data after the end of the object", name)
	}
	if err := check(params); err != nil {
		return none, err
	}
	return params, nil
}

// Answer makes an optional question of a runner (about a trial or its workload) of what is answered from the
// decoded workload. It fails when the workload cannot be understood.
func Answer[Q, P, A any](decode func(Q) (P, error), answer func(P, Q) A) func(Q) (A, error) {
	return func(about Q) (a A, err error) {
		p, err := decode(about)
		if err != nil {
			return a, err
		}
		return answer(p, about), nil
	}
}

// Unreadable is the report on a trial whose workload cannot be understood.
func Unreadable(err error) Report {
	return Report{Failure: Failed(contract.ReasonTrialUnreadable, "%v", err)}
}

// Value is what a field of the API points to, which has a value by default; the zero value
// where it has none.
func Value[T any](field *T) T {
	if field == nil {
		var none T
		return none
	}
	return *field
}
