// Command vectors writes test/conformance/vectors: requests to a harness with what has to come of them, made of the cases that the
// tests of the conformance have.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-bench/assay/runners/drivers"
	"github.com/assay-bench/assay/test/conformance/cases"
	"github.com/assay-bench/assay/test/helpers/harnesses"
)

func main() {
	if err := write(filepath.Join("test", "conformance", "vectors")); err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(1)
	}
}

// write the files into a folder, which then has no others.
func write(folder string) error {
	all, err := drivers.VectorsOf(cases.Everything+","+cases.AtOnce, harnesses.Faults)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, v := range append(all, harnesses.Vectors()) {
		var plain, text bytes.Buffer
		encoder := json.NewEncoder(&plain)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(v); err != nil {
			return err
		}
		if err := format(&text, bytes.TrimSpace(plain.Bytes()), 0); err != nil {
			return err
		}
		text.WriteByte('\n')
		if err := os.WriteFile(filepath.Join(folder, v.Name+".json"), text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// deepest is how deep requests are, and what is wanted of them.
const deepest = 5

// format JSON so that a row of the data and a request are a line each: a file that is small, and whose changes can be read.
func format(to *bytes.Buffer, value json.RawMessage, depth int) error {
	if depth == deepest || !isNested(value) {
		to.Write(value)
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(value))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	to.WriteByte(value[0])
	for between := ""; decoder.More(); between = "," {
		to.WriteString(between + "\n" + strings.Repeat(" ", depth+1))
		if value[0] == '{' {
			name, err := decoder.Token()
			if err != nil {
				return err
			}
			fmt.Fprintf(to, "%q: ", name)
		}
		var inner json.RawMessage
		if err := decoder.Decode(&inner); err != nil {
			return err
		}
		if err := format(to, inner, depth+1); err != nil {
			return err
		}
	}
	to.WriteString("\n" + strings.Repeat(" ", depth) + string(value[len(value)-1]))
	return nil
}

// isNested says whether a value has lists or objects in it.
func isNested(value json.RawMessage) bool {
	decoder := json.NewDecoder(bytes.NewReader(value))
	begun := 0
	for {
		token, err := decoder.Token()
		if err != nil {
			return false // the end: the encoder made the value
		}
		if token == json.Delim('[') || token == json.Delim('{') {
			begun++
		}
		if begun > 1 {
			return true
		}
	}
}
