package main

import (
	"encoding/json"
	"fmt"
)

const protocolVersion = "assay.dev/driver/v1"

// request is every request of docs/driver-protocol.md in one: which fields count depends on do.
type request struct {
	ID               int64             `json:"id"`
	Do               string            `json:"do"`
	Protocol         string            `json:"protocol"`
	Name             string            `json:"name"`
	Rows             [][]any           `json:"rows"`
	Connection       string            `json:"connection"`
	Driver           string            `json:"driver"`
	Version          string            `json:"version"`
	Host             string            `json:"host"`
	Port             int               `json:"port"`
	Database         string            `json:"database"`
	TLS              string            `json:"tls"`
	Options          map[string]string `json:"options"`
	Kind             string            `json:"kind"`
	Scheme           string            `json:"scheme"`
	Transaction      string            `json:"transaction"`
	Session          string            `json:"session"`
	Statement        string            `json:"statement"`
	Data             string            `json:"data"`
	RowsPerOperation int               `json:"rowsPerOperation"`
	Chunk            int               `json:"chunk"`
	Inline           bool              `json:"inline"`
	Operations       int64             `json:"operations"`
	Seconds          float64           `json:"seconds"`
}

// outcome is what every answer has.
type outcome struct {
	ID     int64  `json:"id"`
	State  string `json:"state"`
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
	Schemes  map[string]string `json:"schemes"`
}

type dataAnswer struct {
	outcome
	Rows int `json:"rows"`
}

type prepareAnswer struct {
	outcome
	Version string `json:"version"`
	Library string `json:"library"` // always empty: no driver of Go stands on a C library
	Cipher  string `json:"cipher"`
}

type runAnswer struct {
	outcome
	Operations  int64      `json:"operations"`
	Nanoseconds int64      `json:"nanoseconds"`
	Rows        int64      `json:"rows"`
	Checksum    uint32     `json:"checksum"`
	Histogram   [][2]int64 `json:"histogram"`
	Collection  collection `json:"collection"`
}

// collection is of garbage: how long the forced one took, then how many ran during the operations and for how long they
// stopped the program. Most of a collection in Go runs beside the program; that part is not in Nanoseconds.
type collection struct {
	Before      int64 `json:"before"`
	Count       int64 `json:"count"`
	Nanoseconds int64 `json:"nanoseconds"`
}

// unsupported is an error that says: the driver, or this harness, cannot do it. All other errors are failures.
type unsupported struct{ reason string }

func (u unsupported) Error() string { return u.reason }

func cannot(format string, args ...any) error { return unsupported{fmt.Sprintf(format, args...)} }

// parameters turns the numbers of the JSON text into the types in which users of Go hold them.
func parameters(rows [][]any) error {
	for i, row := range rows {
		for j, cell := range row {
			switch v := cell.(type) {
			case nil, string:
			case json.Number:
				number, err := parseNumber(v)
				if err != nil {
					return fmt.Errorf("row %d, value %d: %w", i, j, err)
				}
				row[j] = number
			default:
				return cannot("row %d, value %d is %T; integers, numbers, strings and null are known", i, j, cell)
			}
		}
	}
	return nil
}

func parseNumber(n json.Number) (any, error) {
	for _, c := range n.String() {
		if c == '.' || c == 'e' || c == 'E' {
			return n.Float64()
		}
	}
	return n.Int64()
}
