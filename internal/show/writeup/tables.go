package writeup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/export"
	"github.com/assay-bench/assay/internal/show/readout"
)

// Tables of a run by their keys in its ConfigMap, within budget.MostReport together: contract.KeyReport is Markdown for
// people, as GitHub renders it, and contract.KeyReportSummary the document of `kubectl assay get RUN -o json`
// (docs/contracts/cli-run.v1.schema.json). Neither plan nor records are read for them. It fails when the API server
// cannot be read; a summary that is too large or cannot be understood is replaced by that of the status, and the
// Markdown says so.
func (w Writer) Tables(ctx context.Context, run *v1alpha1.BenchmarkRun) (map[string]string, error) {
	from, note := w.of(run), ""
	read, err := stored.ReadTables(ctx, from, w.limits())
	switch {
	case err == nil:
	case isTransient(ctx, err):
		return nil, err
	case errors.Is(err, stored.ErrTooLarge):
		note = "The summary takes more memory than the manager gives to a report."
	default:
		note = "The summary or the quoted numbers of the run cannot be read: `kubectl assay verify " + run.Name + "` says what is wrong."
	}
	if note != "" {
		read = stored.OfStatus(from, from.run)
		note += " These tables have what the status of the run shows."
	}
	summary, err := document(from.run, int(budget.MostReportSummary))
	if err != nil {
		return nil, err
	}
	markdown, err := markdownOf(read, note, int(budget.MostReport)-len(summary))
	return map[string]string{contract.KeyReport: string(markdown), contract.KeyReportSummary: string(summary)}, err
}

// isTransient says that the API server did not answer, or not in a way that says something about the run.
func isTransient(ctx context.Context, err error) bool {
	var answer apierrors.APIStatus
	var sent *url.Error
	return errors.As(err, &answer) || errors.As(err, &sent) || ctx.Err() != nil
}

// markdownOf a run, with a note at its end, in at most so many bytes: what is too much is cut behind a line.
func markdownOf(run *stored.Run, note string, most int) ([]byte, error) {
	var text bytes.Buffer
	if err := export.Markdown(&text, run); err != nil {
		return nil, err
	}
	if note != "" {
		text.WriteString("\n" + note + "\n")
	}
	if text.Len() <= most {
		return text.Bytes(), nil
	}
	end := fmt.Sprintf("\nThe tables end here: all of them have %d bytes, and `kubectl assay report %s --format markdown` writes them.\n", text.Len(), run.Object.Name)
	kept := text.Bytes()[:max(most-len(end), 0)]
	return append(kept[:bytes.LastIndexByte(kept, '\n')+1], end...), nil
}

// maxMessage of a finding in a document that is cut, in bytes.
const maxMessage = 256

// document of a run in at most so many bytes. What has no room is left out from the end, and counted as what the
// run has in its ConfigMaps.
func document(run *v1alpha1.BenchmarkRun, most int) ([]byte, error) {
	doc := readout.FromStatus(run)
	for {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(doc); err != nil {
			return nil, fmt.Errorf("writing the document of %s/%s: %w", run.Namespace, run.Name, err)
		}
		if text.Len() <= most {
			return text.Bytes(), nil
		}
		if !shorten(&doc) {
			return nil, &contract.TooLargeError{What: "bytes for the document of the run", Most: most}
		}
	}
}

// shorten the longest list by half. It returns false when there is nothing to leave out.
func shorten(doc *readout.Run) bool {
	halve := func(n int, more *int32) int { *more += int32(n - n/2); return n / 2 }
	var findings int32 // those that are left out are in status.findings
	switch n := max(len(doc.Measurements), len(doc.Verdicts), len(doc.Sweeps), len(doc.Searches), len(doc.Findings)); n {
	case 0:
		return false
	case len(doc.Measurements):
		doc.Measurements = doc.Measurements[:halve(n, &doc.MoreMeasurements)]
	case len(doc.Verdicts):
		doc.Verdicts = doc.Verdicts[:halve(n, &doc.MoreComparisons)]
	case len(doc.Sweeps):
		doc.Sweeps = doc.Sweeps[:halve(n, &doc.MoreSweeps)]
	case len(doc.Searches):
		doc.Searches = doc.Searches[:halve(n, &doc.MoreSearches)]
	default:
		doc.Findings = doc.Findings[:halve(n, &findings)]
		for i := range doc.Findings {
			doc.Findings[i].Message = contract.Cut(doc.Findings[i].Message, maxMessage)
		}
	}
	return true
}
