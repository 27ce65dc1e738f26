package ycsb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// isJSON says whether an export is JSON: an array of objects, or objects one after the
// other. A text report begins with a bracket as well, but no object follows it.
func isJSON(export []byte) bool {
	rest := bytes.TrimSpace(export)
	if after, ok := bytes.CutPrefix(rest, []byte("[")); ok {
		rest = bytes.TrimSpace(after)
		return len(rest) == 0 || rest[0] == '{' || rest[0] == ']'
	}
	return bytes.HasPrefix(rest, []byte("{"))
}

// object is one number as the exporters of JSON write it. Jackson writes NaN as a string.
type object struct {
	Metric      string `json:"metric"`
	Measurement string `json:"measurement"`
	Value       any    `json:"value"`
}

// parseJSON reads what JSONArrayMeasurementsExporter writes, and JSONMeasurementsExporter,
// whose output is objects without anything between them. The entries before an error are
// returned with it.
func parseJSON(export []byte) ([]entry, error) {
	rest := bytes.TrimSpace(export)
	array := bytes.HasPrefix(rest, []byte("["))
	dec := json.NewDecoder(bytes.NewReader(rest))
	dec.UseNumber()
	if array {
		if _, err := dec.Token(); err != nil {
			return nil, err
		}
	}
	var entries []entry
	for !array || dec.More() {
		var o object
		err := dec.Decode(&o)
		if errors.Is(err, io.EOF) && !array {
			return entries, nil
		}
		if err != nil {
			return entries, fmt.Errorf("object %d: %w", len(entries)+1, err)
		}
		value, ok := textOf(o.Value)
		if !ok {
			return entries, fmt.Errorf("object %d: value: %v is no number", len(entries)+1, o.Value)
		}
		entries = append(entries, entry{o.Metric, strings.TrimSpace(strings.TrimPrefix(o.Measurement, "*")), value})
	}
	if _, err := dec.Token(); err != nil {
		return entries, fmt.Errorf("after object %d: %w", len(entries), err)
	}
	return entries, nil
}

// textOf a number as it was written. JSON may write an exponent in more ways than Java.
func textOf(value any) (string, bool) {
	switch v := value.(type) {
	case json.Number:
		text := strings.Replace(strings.ToUpper(v.String()), "E+", "E", 1)
		return text, isNumber(text)
	case string:
		return v, isNumber(v)
	}
	return "", false
}
