// Command chart-docs writes the README of the chart from its values. In: the text of
// charts/assay/values.yaml. Out: Markdown with a table of values for each section: name, default and
// comment. A comment that would be lost is an error.
//
//	go run ./hack/chart-docs charts/assay/values.yaml >charts/assay/README.md
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: chart-docs VALUES")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	page, err := document(text)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	_, err = fmt.Print(page)
	return err
}
