// Command vectors writes test/conformance/vectors: requests to a harness with what has to come of them, made of the cases that the
// tests of the conformance have.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

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
	all, err := drivers.VectorsOf(cases.Everything, harnesses.Faults)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, v := range all {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", " ")
		if err := encoder.Encode(v); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, v.Name+".json"), text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
