package output

import (
	"bytes"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/assay-bench/assay/internal/contract"
)

// Rows prints rows below each other, the first one as the head. Lines are cut to the width; 0 cuts none.
func Rows(out io.Writer, width int, rows [][]string) error {
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			if cells[i] = contract.Line(cell); cell == "" {
				cells[i] = "-"
			}
		}
		if _, err := io.WriteString(w, strings.Join(cells, "\t")+"\n"); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		if _, err := io.WriteString(out, Fit(strings.TrimRight(line, " \n"), width)+"\n"); err != nil {
			return err
		}
	}
	return nil
}
