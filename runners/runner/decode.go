package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// DecodeWorkload reads a runner's part of the spec strictly into its type of the API: a field
// that is not understood would silently change what is measured. Defaults are filled in and
// bounds are checked by then (internal/ground/apischema). Errors begin with workload.NAME.
func DecodeWorkload(name string, workload json.RawMessage, params any) error {
	dec := json.NewDecoder(bytes.NewReader(workload))
	dec.DisallowUnknownFields()
	if err := dec.Decode(params); err != nil {
		return fmt.Errorf("workload.%s: %w", name, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("workload.%s: more data after the end of the object", name)
	}
	return nil
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
