package custom

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// ResultVersion names the format of Document.
const ResultVersion = "assay.dev/custom-result/v1"

// Document is what a tool of one's own prints with format: Result, as one JSON
// object. docs/contracts/custom-result.v1.schema.json describes it.
type Document struct {
	// Version is always ResultVersion.
	Version string `json:"version"`
	// Tool is the name and version of the tool, such as "mybench 1.2".
	Tool string `json:"tool,omitempty"`
	// Measurements, at least one unless the tool failed. A number that was not measured
	// has no value; it is never 0.
	Measurements measurements `json:"measurements,omitempty"`
	// Errors that operations met; none means that there were none.
	Errors []contract.ErrorCount `json:"errors,omitempty"`
	// Failure says why the tool could not measure; absent when it did.
	Failure string `json:"failure,omitempty"`
}

// measurements are read one by one, up to as many as a result may have.
type measurements []contract.Measurement

// UnmarshalJSON fails with a TooLargeError.
func (m *measurements) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if token, err := dec.Token(); err != nil || token == nil {
		return err
	} else if token != json.Delim('[') {
		return errors.New("measurements: a list is needed")
	}
	for most := contract.DefaultBounds().Measurements; dec.More(); {
		if len(*m) == most {
			return &contract.TooLargeError{What: "measurements", Most: most}
		}
		var one contract.Measurement
		if err := dec.Decode(&one); err != nil {
			return err
		}
		*m = append(*m, one)
	}
	return nil
}

// parseResult reads a Document.
func parseResult(output []byte) runner.Report {
	if len(bytes.TrimSpace(output)) == 0 {
		return failed(contract.ReasonOutputTruncated, "the tool printed nothing; format: Result needs one JSON object")
	}
	if err := contract.CheckJSON(output); err != nil {
		return failed(contract.ReasonResultTooLarge, "the output of the tool: %v", err)
	}
	var d Document
	dec := json.NewDecoder(bytes.NewReader(output))
	dec.DisallowUnknownFields()
	err := dec.Decode(&d)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more after the end of the object")
		}
	}
	if errors.Is(err, contract.ErrTooLarge) {
		return failed(contract.ReasonResultTooLarge, "the output of the tool: %v", err)
	}
	if err != nil {
		return failed(contract.ReasonOutputTruncated, "the output is not one JSON object of the format Result: %v", contract.Cut(err.Error(), contract.MaxText))
	}
	if err := d.check(); err != nil {
		return failed(contract.ReasonToolFailed, "the result of the tool: %v", err)
	}
	r := runner.Report{ToolVersion: d.Tool, Measurements: d.Measurements, Errors: d.Errors}
	r = withErrorRate(r, func(string) bool { return true })
	if d.Failure != "" {
		r.Failure = runner.Failed(contract.ReasonToolFailed, "%s", d.Failure)
	}
	return r
}

func (d Document) check() error {
	if d.Version != ResultVersion {
		return fmt.Errorf("version: got %q, want %q", d.Version, ResultVersion)
	}
	if len(d.Measurements) == 0 && d.Failure == "" {
		return errors.New("measurements: there is none: give at least one, or a failure")
	}
	for i, m := range d.Measurements {
		if err := checkMeasurement(m); err != nil {
			return fmt.Errorf("measurements[%d]: %w", i, err)
		}
	}
	for i, e := range d.Errors {
		if e.Name == "" || e.Count < 0 {
			return fmt.Errorf("errors[%d]: a name, and a count from 0, are needed", i)
		}
	}
	return nil
}

func checkMeasurement(m contract.Measurement) error {
	if m.Name == "" || m.Unit == "" {
		return errors.New("name and unit are needed")
	}
	switch m.Direction {
	case "", contract.HigherIsBetter, contract.LowerIsBetter:
	default:
		return fmt.Errorf("direction: %q is not known: use HigherIsBetter or LowerIsBetter, or leave it out", m.Direction)
	}
	if m.N != nil && *m.N < 0 {
		return fmt.Errorf("n: %d is less than 0", *m.N)
	}
	if h := m.Histogram; h != nil {
		last := math.Inf(-1)
		for i, b := range h.Buckets {
			if b.Value <= last || b.Count < 0 {
				return fmt.Errorf("histogram.buckets[%d]: values have to ascend, and counts begin at 0", i)
			}
			last = b.Value
		}
	}
	return nil
}
