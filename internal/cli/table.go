package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/quoted"
	"github.com/assay-bench/assay/internal/stored"
)

const tableHelp = `Show one measurement of all targets, measured and quoted ones beside each other.

Quoted numbers are marked. Somebody else measured them, and no test uses them. The table has
what the status has: status.summary and status.targets[].quoted. Below it are the knees and peaks of sweeps
over a load (status.sweeps).

With --against, such as --against driver=mysql, quoted numbers have their factor to the one of the
same source with this label: more than 1x is faster. Factors of measured numbers stand in
status.comparisons, with their intervals.`

func newTable(k *kubeconfig) *cobra.Command {
	var view tableView
	cmd := &cobra.Command{
		Use: "table RUN|BUNDLE", Short: "Show measured and quoted numbers beside each other", Long: tableHelp, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, err := k.sources(args)
			if err != nil {
				return err
			}
			return showTable(cmd.Context(), runs[0], view, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVarP(&view.name, "measurement", "m", "", "the measurement, such as latency.avg; default: the main one")
	cmd.Flags().StringVar(&view.against, "against", "", "the label of a baseline, such as driver=mysql: quoted numbers have a factor then")
	return cmd
}

// tableView is what a table shows: a measurement, and the label of a baseline; both may be empty.
type tableView struct{ name, against string }

func showTable(ctx context.Context, from stored.Source, view tableView, out io.Writer) error {
	run, err := from.Run(ctx)
	if err != nil {
		return err
	}
	rows, err := rowsOf(run, view)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	text := "WHERE\tTARGET\tVALUE\tUNIT\tSPREAD\tTRIALS\n"
	for _, r := range rows {
		text += strings.Join([]string{r.where, r.target, r.value, r.unit, r.spread, r.trials}, "\t") + "\n"
	}
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = io.WriteString(out, sweepsOf(run, view.name))
	return err
}

// sweepsOf a measurement, one in a line; empty without any. They are of the main one, which is that without a name.
func sweepsOf(run *v1alpha1.BenchmarkRun, name string) string {
	text := ""
	for _, s := range run.Status.Sweeps {
		if name == "" || s.Name == name {
			text += "  " + s.Text + "\n"
		}
	}
	if text == "" {
		return ""
	}
	if r := run.Status.Results; r != nil && int(r.SweepCount) > len(run.Status.Sweeps) {
		text += fmt.Sprintf("  and %d more in the ConfigMaps of the summary\n", int(r.SweepCount)-len(run.Status.Sweeps))
	}
	return "sweeps:\n" + text
}

// tableRow is a number of one target.
type tableRow struct{ where, target, value, unit, spread, trials string }

// rowsOf a measurement: those of one place in the experiment stand together, the measured ones first.
// It fails when nothing of that name was measured or quoted.
func rowsOf(run *v1alpha1.BenchmarkRun, view tableView) ([]tableRow, error) {
	st, name := run.Status, view.name
	if name == "" && len(st.Summary) > 0 {
		name = st.Summary[0].Name
	}
	var rows []tableRow
	direction := contract.Direction("")
	for _, e := range st.Summary {
		if e.Name != name {
			continue
		}
		direction = contract.Direction(e.Direction)
		where := map[string]string{}
		maps.Copy(where, e.Labels)
		for axis, value := range e.Parameters {
			where[axis] = value.String()
		}
		row := tableRow{where: placeOf(where), target: e.Target, value: "-", unit: e.Unit, spread: "-", trials: fmt.Sprintf("%d of %d", e.TrialCount, e.PlannedTrialCount)}
		if e.Median != "" {
			row.value, row.spread = e.Median, e.Min+" to "+e.Max
		}
		rows = append(rows, row)
	}
	for _, t := range st.Targets {
		factors := factorsOf(t, name, direction, view.against)
		for _, q := range t.Quoted {
			if q.Name == name && q.Stage == v1alpha1.QuotedRun {
				spread := "quoted: " + t.Source
				if factor := factors[placeOf(q.Labels)]; factor != "" {
					spread = factor + " " + view.against + ", " + spread
				}
				rows = append(rows, tableRow{placeOf(q.Labels), t.Name, q.Value, q.Unit, spread, "-"})
			}
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("its status has no number of %q", name)
	}
	// Places in the order in which they come first.
	order := map[string]int{}
	for _, r := range rows {
		if _, known := order[r.where]; !known {
			order[r.where] = len(order)
		}
	}
	slices.SortStableFunc(rows, func(a, b tableRow) int { return order[a.where] - order[b.where] })
	return rows, nil
}

// factorsOf the quoted numbers of a target to their baseline, by their places. Their direction is that
// of the measured numbers of the same name.
func factorsOf(t v1alpha1.TargetStatus, name string, direction contract.Direction, against string) map[string]string {
	label, baseline, ok := strings.Cut(against, "=")
	if !ok || direction == "" {
		return nil
	}
	var ms []contract.Measurement
	for _, q := range t.Quoted {
		v, err := strconv.ParseFloat(q.Value, 64)
		if err == nil && q.Name == name && q.Stage == v1alpha1.QuotedRun {
			ms = append(ms, contract.Measurement{Name: q.Name, Labels: q.Labels, Unit: q.Unit, Direction: direction, Value: &v})
		}
	}
	out := map[string]string{}
	for _, r := range quoted.Against(ms, label, baseline) {
		out[placeOf(r.Measurement.Labels)] = r.Times(2)
	}
	return out
}

// placeOf the experiment: parameters and labels, whichever a source uses.
func placeOf(labels map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, contract.Line(name+"="+labels[name]))
	}
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, " ")
}
