// Command reliability writes what the rows of the matrix of faults found into docs/evidence/reliability.md.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/assay-bench/assay/test/helpers/evidence"
	"github.com/assay-bench/assay/test/helpers/reliability"
)

func main() {
	from := flag.String("from", "docs/evidence/chaos", "the folder with the files of the rows, which make e2e-chaos writes to out/chaos")
	document := flag.String("document", "docs/evidence/reliability.md", "the document with the table")
	flag.Parse()
	if err := run(*from, *document); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(from, document string) error {
	rows, err := reliability.Load(from)
	if err != nil {
		return err
	}
	old, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	text, err := evidence.Replace(string(old), reliability.Begin, reliability.Table(rows))
	if err != nil {
		return err
	}
	return os.WriteFile(document, []byte(text), 0o644)
}
