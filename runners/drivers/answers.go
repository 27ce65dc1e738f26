package drivers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assay-bench/assay/runners/runner"
)

// answer of a harness; docs/contributing/driver-protocol.md says what the fields mean. Numbers that a
// language may not have are pointers.
type answer struct {
	ID     int    `json:"id"`
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
	// Code of the error that Reason is about, as the driver has it; empty for none.
	Code string `json:"code,omitempty"`

	Protocol string         `json:"protocol,omitempty"`
	Language string         `json:"language,omitempty"`
	Runtime  string         `json:"runtime,omitempty"`
	Clock    string         `json:"clock,omitempty"`
	Drivers  []capabilities `json:"drivers,omitempty"`

	Version string `json:"version,omitempty"`
	Library string `json:"library,omitempty"`
	Cipher  string `json:"cipher,omitempty"`

	Operations     int64       `json:"operations,omitempty"`
	Nanoseconds    int64       `json:"nanoseconds,omitempty"`
	CPUNanoseconds *int64      `json:"cpuNanoseconds,omitempty"`
	Rows           int64       `json:"rows,omitempty"`
	Checksum       uint32      `json:"checksum,omitempty"`
	Histogram      [][2]int64  `json:"histogram,omitempty"` // index of the bucket, count
	Collection     *collection `json:"collection,omitempty"`
}

// capabilities of a driver.
type capabilities struct {
	Name string `json:"name"`
	// Versions, the default first.
	Versions []string `json:"versions"`
	// Can says how each scheme is done that it can do, and the same of Pool and Encode; Cannot
	// why it cannot do others.
	Can    map[string]string `json:"can"`
	Cannot map[string]string `json:"cannot,omitempty"`
	// Options of its connection and their types; nil where only the driver knows them.
	Options map[string]string `json:"options,omitempty"`
}

// allocated bytes; nil where the language does not count them.
func (a answer) allocated() *int64 {
	if a.Collection == nil {
		return nil
	}
	return a.Collection.Allocated
}

// collection of garbage.
type collection struct {
	Before      *int64 `json:"before,omitempty"`
	Count       *int64 `json:"count,omitempty"`
	Nanoseconds *int64 `json:"nanoseconds,omitempty"`
	// Allocated bytes on the heap during the operations.
	Allocated *int64 `json:"allocated,omitempty"`
}

const (
	stateOK          = "ok"
	stateUnsupported = "unsupported"
	stateFailed      = "failed"
)

// readAnswer of a turn. What is no answer to it is an error.
func readAnswer(x runner.Exchange) (answer, error) {
	var a answer
	if x.Answer == nil {
		return a, errors.New("the harness gave no answer")
	}
	dec := json.NewDecoder(bytes.NewReader(x.Answer))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return a, fmt.Errorf("the harness answered %.200s, which is not the protocol: %w", x.Answer, err)
	}
	switch {
	case a.ID != x.Turn+1:
		return a, fmt.Errorf("the harness answered request %d with the id %d", x.Turn+1, a.ID)
	case a.State == stateOK:
		return a, nil
	case (a.State == stateUnsupported || a.State == stateFailed) && a.Reason != "":
		return a, nil
	}
	return a, fmt.Errorf("the harness answered with the state %q and the reason %q", a.State, a.Reason)
}
