package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

const protocolVersion = "assay.dev/driver/v2"

// request is every request of docs/contributing/driver-protocol.md in one: which fields count depends on do.
type request struct {
	ID               int64             `json:"id"`
	Do               string            `json:"do"`
	Name             string            `json:"name"`
	Rows             [][]any           `json:"rows"`
	Connection       string            `json:"connection"`
	Driver           string            `json:"driver"`
	Host             string            `json:"host"`
	Port             int               `json:"port"`
	Database         string            `json:"database"`
	TLS              bool              `json:"tls"`
	Options          map[string]string `json:"options"`
	Kind             string            `json:"kind"`
	Scheme           string            `json:"scheme"`
	Session          string            `json:"session"`
	Commit           bool              `json:"commit"`
	Inline           bool              `json:"inline"`
	Statement        string            `json:"statement"`
	Head             string            `json:"head"`
	Group            string            `json:"group"`
	Separator        string            `json:"separator"`
	Tail             string            `json:"tail"`
	Data             string            `json:"data"`
	RowsPerOperation int               `json:"rowsPerOperation"`
	Chunk            int               `json:"chunk"`
	Concurrency      int               `json:"concurrency"`
	Operations       int64             `json:"operations"`
	Seconds          float64           `json:"seconds"`
}

// outcome is what every answer has.
type outcome struct {
	ID     int64  `json:"id"`
	State  string `json:"state"`
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
}

type helloAnswer struct {
	outcome
	Protocol string          `json:"protocol"`
	Language string          `json:"language"`
	Runtime  string          `json:"runtime"`
	Clock    string          `json:"clock"`
	Drivers  []driverSummary `json:"drivers"`
}

type driverSummary struct {
	Name     string            `json:"name"`
	Versions []string          `json:"versions"`
	Can      map[string]string `json:"can"`
	Cannot   map[string]string `json:"cannot,omitempty"`
}

type prepareAnswer struct {
	outcome
	Version string `json:"version"`
	Cipher  string `json:"cipher"`
}

type runAnswer struct {
	outcome
	Operations     int64      `json:"operations"`
	Nanoseconds    int64      `json:"nanoseconds"`
	CPUNanoseconds int64      `json:"cpuNanoseconds,omitempty"`
	Rows           int64      `json:"rows"`
	Checksum       uint32     `json:"checksum"`
	Histogram      [][2]int64 `json:"histogram"`
	Collection     collection `json:"collection"`
}

// collection is of garbage: how long the forced one took, then how many ran during the operations and for how long they
// stopped the program, and the bytes that were allocated on the heap during the operations. Most of a collection in Go runs beside the program;
// that part is not in Nanoseconds.
type collection struct {
	Before      int64  `json:"before"`
	Count       int64  `json:"count"`
	Nanoseconds int64  `json:"nanoseconds"`
	Allocated   uint64 `json:"allocated"`
}

// unsupported is an error that says: the driver, or this harness, cannot do it. All other errors are failures.
type unsupported struct{ reason string }

func (u unsupported) Error() string { return u.reason }

func cannot(format string, args ...any) error { return unsupported{fmt.Sprintf(format, args...)} }

// parameters turns the numbers of the JSON text into the types in which users of Go hold them.
func parameters(rows [][]any) error {
	for _, row := range rows {
		for i, cell := range row {
			number, ok := cell.(json.Number)
			if !ok {
				continue
			}
			var err error
			if strings.Contains(number.String(), ".") {
				row[i], err = number.Float64()
			} else {
				row[i], err = number.Int64()
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
