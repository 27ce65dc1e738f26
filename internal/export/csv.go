package export

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"github.com/assay-bench/assay/internal/stored"
)

// Columns of the long table.
func Columns() []string {
	return []string{
		"namespace", "run", "run_uid", "spec_hash", "trial", "attempt", "block", "cell", "target", "parameters", "state", "reason",
		"counted", "left_out", "valid", "disturbed", "saturated", "warnings", "window_start", "window_end", "target_node", "measurement", "labels", "value", "unit", "direction",
	}
}

// writeCSV of RFC 4180, with a header. What is absent is an empty field.
func writeCSV(out io.Writer, run *stored.Run) error {
	w := csv.NewWriter(out)
	if err := w.Write(Columns()); err != nil {
		return err
	}
	number := func(n int32) string { return strconv.FormatInt(int64(n), 10) }
	for r := range Rows(run) {
		if err := w.Write([]string{
			r.Namespace, r.Run, r.RunUID, r.SpecHash, number(r.Trial), number(r.Attempt), number(r.Block), number(r.Cell), r.Target, r.Parameters, r.State, orEmpty(r.Reason),
			strconv.FormatBool(r.Counted), orEmpty(r.LeftOut), truth(r.Valid), strconv.FormatBool(r.Disturbed), strconv.FormatBool(r.Saturated), orEmpty(r.Warnings), instant(r.WindowStart), instant(r.WindowEnd), orEmpty(r.TargetNode),
			orEmpty(r.Measurement), orEmpty(r.Labels), decimal(r.Value), orEmpty(r.Unit), orEmpty(r.Direction),
		}); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func truth(b *bool) string {
	if b == nil {
		return ""
	}
	return strconv.FormatBool(*b)
}

func instant(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func decimal(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
