package contract

import (
	"bytes"
	"fmt"
	"io"
)

// checkElements refuses a result with more than the bounds, or with names that are too long to be
// told apart when they are cut.
func (r Result) checkElements(b Bounds) error {
	for _, ms := range [][]Measurement{r.Measurements, r.Warmup} {
		if b.Measurements > 0 && len(ms) > b.Measurements {
			return &TooLargeError{"measurements", b.Measurements}
		}
		for _, m := range ms {
			if err := m.checkNames(); err != nil {
				return err
			}
		}
	}
	if len(r.Errors) > MaxErrors {
		return &TooLargeError{"kinds of errors", MaxErrors}
	}
	for _, e := range r.Errors {
		if len(e.Name) > MaxName {
			return &TooLargeError{fmt.Sprintf("bytes in the name of the error %s", Cut(e.Name, 100)), MaxName}
		}
	}
	return nil
}

func (m Measurement) checkNames() error {
	where := "of the measurement " + Cut(m.Name, 100)
	for what, text := range map[string]string{"name": m.Name, "unit": m.Unit, "operation": m.Operation} {
		if len(text) > MaxName {
			return &TooLargeError{fmt.Sprintf("bytes in the %s %s", what, where), MaxName}
		}
	}
	switch m.Direction {
	case "", HigherIsBetter, LowerIsBetter:
	default: // the API server would refuse a status with it
		return fmt.Errorf("direction %s: got %q, want %s or %s", where, Cut(string(m.Direction), 100), HigherIsBetter, LowerIsBetter)
	}
	if len(m.Labels) > MaxLabels {
		return &TooLargeError{"labels " + where, MaxLabels}
	}
	for key, value := range m.Labels {
		if len(key) > MaxName {
			return &TooLargeError{"bytes in the name of a label " + where, MaxName}
		}
		if len(value) > MaxLabelValue {
			return &TooLargeError{fmt.Sprintf("bytes in the label %s %s", key, where), MaxLabelValue}
		}
	}
	return nil
}

// Memory is about how much memory the measurements of a result take, in bytes: what remains of it
// while the results of other clients are read.
func (r Result) Memory() int {
	const result, measurement, labels, label, interval, bucket = 16 << 10, 192, 384, 80, 24, 16
	n := result
	for _, ms := range [][]Measurement{r.Measurements, r.Warmup} {
		for _, m := range ms {
			n += measurement + len(m.Name) + len(m.Unit) + len(m.Operation) + interval*len(m.Intervals)
			if len(m.Labels) > 0 {
				n += labels
			}
			for key, value := range m.Labels {
				n += label + len(key) + len(value)
			}
			if m.Histogram != nil {
				n += bucket * len(m.Histogram.Buckets)
			}
		}
	}
	if r.Server != nil {
		for _, values := range []map[string]string{r.Server.Variables, r.Server.VariablesChanged, r.Server.NonDefault} {
			for key, value := range values {
				n += label + len(key) + len(value)
			}
		}
		n += label * len(r.Server.StatusDelta)
	}
	return n
}

// maxDepth of a result's JSON; a result has seven levels.
const maxDepth = 32

// countingReader passes JSON on, and fails at the first byte beyond a bound: before anybody makes a
// structure of it. It counts the commas and the brackets outside of strings.
type countingReader struct {
	in     io.Reader
	bounds Bounds
	// bytes and elements so far. most is the bound of elements for the field that is read now, from
	// the begin of the document; 0 for none.
	bytes, elements, most int
	depth                 int
	inString, escaped     bool
}

// Read fails with a TooLargeError.
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	if c.bytes += n; c.bounds.JSONBytes > 0 && c.bytes > c.bounds.JSONBytes {
		return 0, &TooLargeError{"bytes of JSON", c.bounds.JSONBytes}
	}
	for _, b := range p[:n] {
		c.count(b)
	}
	switch {
	case c.bounds.Elements > 0 && c.elements > c.bounds.Elements:
		return 0, &TooLargeError{"elements", c.bounds.Elements}
	case c.most > 0 && c.elements > c.most:
		return 0, &TooLargeError{"elements in a field without measurements", c.bounds.OtherElements}
	case c.depth > maxDepth:
		return 0, &TooLargeError{"levels", maxDepth}
	}
	return n, err
}

func (c *countingReader) count(b byte) {
	switch {
	case c.escaped:
		c.escaped = false
	case c.inString:
		c.escaped, c.inString = b == '\\', b != '"'
	case b == '"':
		c.inString = true
	case b == ',':
		c.elements++
	case b == '{' || b == '[':
		c.elements, c.depth = c.elements+1, c.depth+1
	case b == '}' || b == ']':
		c.depth--
	}
}

// CheckJSON fails with a TooLargeError for the JSON of a tool that is more than a result may have,
// before anybody makes a structure of it.
func CheckJSON(plain []byte) error { return countJSON(plain, DefaultBounds()) }

// countJSON fails with a TooLargeError where a reader would.
func countJSON(plain []byte, b Bounds) error {
	_, err := io.Copy(io.Discard, &countingReader{in: bytes.NewReader(plain), bounds: b})
	return err
}
