package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/assay-bench/assay/internal/cli/ui"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/report"
	"github.com/assay-bench/assay/internal/show/writeup"
)

// reading of whole runs for the pages of `ui`: what they say is what the commands say.
func reading() ui.Reading {
	return ui.Reading{Compare: comparisonOf, Report: func(ctx context.Context, from stored.Source, page io.Writer) error {
		run, err := stored.Read(ctx, from)
		if err != nil {
			return err
		}
		in, err := writeup.Input(ctx, run)
		if err != nil {
			return err
		}
		if err := report.Write(page, in); err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		return nil
	}}
}
