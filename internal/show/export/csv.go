package export

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
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
// empty field.
func writeCSV(out io.Writer, run *stored.Run) error {
	w := csv.NewWriter(out)
	if err := w.Write(Columns()); err != nil {
		return err
	}
	left := leftOut(run)
	for _, rec := range run.Records {
		attempt, err := attemptColumns(run, rec, left)
		if err != nil {
			return err
		}
		if len(rec.Values) == 0 {
			if err := w.Write(append(attempt, "", "", "", "", "")); err != nil {
				return err
			}
		}
		for _, v := range rec.Values {
			labels, err := objectOf(v.Labels)
			if err != nil {
				return err
			}
			if err := w.Write(append(attempt, v.Name, labels, strconv.FormatFloat(v.Value, 'g', -1, 64), v.Unit, string(v.Direction))); err != nil {
				return err
			}
		}
	}
	w.Flush()
	return w.Error()
}

// attemptColumns are those that all values of an attempt share: all but the last five.
func attemptColumns(run *stored.Run, rec contract.Record, left map[int32]v1alpha1.LeftOutReason) ([]string, error) {
	parameters, err := objectOf(rec.Parameters)
	if err != nil {
		return nil, err
	}
	if parameters == "" {
		parameters = "{}"
	}
	valid := ""
	if rec.Valid != nil {
		valid = strconv.FormatBool(*rec.Valid)
	}
	o, reason := run.Object, leftOutReason(rec, left)
	number := func(n int32) string { return strconv.FormatInt(int64(n), 10) }
	return []string{
		o.Namespace, o.Name, string(o.UID), o.Status.SpecHash, number(rec.Index), number(rec.Attempt), number(rec.Block), number(rec.Cell),
		rec.Target, parameters, string(rec.State), rec.Reason, strconv.FormatBool(reason == ""), reason, valid, strconv.FormatBool(rec.Disturbed),
		strconv.FormatBool(rec.Saturated), strings.Join(warningsOf(rec), ","), instant(rec.WindowStartTime), instant(rec.WindowEndTime), rec.TargetNodeName,
	}, nil
}

func instant(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// objectOf names as JSON, sorted; empty without any.
func objectOf[V any](values map[string]V) (string, error) {
	if len(values) == 0 {
		return "", nil
	}
	data, err := json.Marshal(values)
	if err != nil {
		return "", fmt.Errorf("writing %v as JSON: %w", values, err)
	}
	return string(data), nil
}
