package export

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
)

// Columns of the long table.
func Columns() []string {
	return []string{
		"namespace", "run", "run_uid", "spec_hash", "trial", "attempt", "block", "cell", "target", "parameters", "state", "reason",
		"counted", "left_out", "valid", "disturbed", "saturated", "warnings", "window_start", "window_end", "target_node", "measurement", "labels", "value", "unit", "direction",
	}
}

// writeCSV writes the long table as CSV of RFC 4180, with a header: a row for each value of each attempt, in the order
// in which the attempts ended, and one row without a measurement for an attempt without a value. What is absent is an
// empty field. A text that a spreadsheet would take for a formula has an apostrophe before it.
func writeCSV(out io.Writer, run *stored.Run) error {
	w := csv.NewWriter(out)
	if err := w.Write(Columns()); err != nil {
		return err
	}
	left := leftOut(run)
	for _, rec := range run.Records {
		attempt := attemptColumns(run, rec, left)
		if len(rec.Values) == 0 {
			if err := w.Write(append(attempt, "", "", "", "", "")); err != nil {
				return err
			}
		}
		for _, v := range rec.Values {
			if err := w.Write(append(attempt, plain(v.Name), objectOf(v.Labels), strconv.FormatFloat(v.Value, 'g', -1, 64), plain(v.Unit), string(v.Direction))); err != nil {
				return err
			}
		}
	}
	w.Flush()
	return w.Error()
}

// attemptColumns are those that all values of an attempt share: all but the last five.
func attemptColumns(run *stored.Run, rec contract.Record, left map[int32]v1alpha1.LeftOutReason) []string {
	valid := ""
	if rec.Valid != nil {
		valid = strconv.FormatBool(*rec.Valid)
	}
	o, reason := run.Object, leftOutReason(rec, left)
	number := func(n int32) string { return strconv.FormatInt(int64(n), 10) }
	return []string{
		o.Namespace, o.Name, string(o.UID), o.Status.SpecHash, number(rec.Index), number(rec.Attempt), number(rec.Block), number(rec.Cell),
		plain(rec.Target), cmp.Or(objectOf(rec.Parameters), "{}"), string(rec.State), plain(rec.Reason), strconv.FormatBool(reason == ""), reason, valid, strconv.FormatBool(rec.Disturbed),
		strconv.FormatBool(rec.Saturated), plain(strings.Join(warningsOf(rec), ",")), instant(rec.WindowStartTime), instant(rec.WindowEndTime), plain(rec.TargetNodeName),
	}
}

// plain text, which no spreadsheet takes for a formula: tools and bundles of others name measurements and units.
// Source: OWASP, CSV injection.
func plain(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

func instant(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// objectOf names as JSON, sorted; empty without any.
func objectOf[V string | contract.Scalar](values map[string]V) string {
	if len(values) == 0 {
		return ""
	}
	data, _ := json.Marshal(values) // of texts and numbers it does not fail
	return string(data)
}
