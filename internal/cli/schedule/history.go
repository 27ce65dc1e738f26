package schedule

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
)

const historyHelp = `List the runs of a schedule that have ended, the newest first: when, how, what started them, and what they say.

The history outlives the runs. With -o json it has the values of every block, too: at most 512 series of a run. The servers and
machines of each run are in the ConfigMap of the history. Of a schedule with historyReclaimPolicy: Retain it outlives the schedule,
too: --configmap shows it then.`

func newHistory(cluster connect) *cobra.Command {
	var format output.Format
	retained := ""
	cmd := &cobra.Command{
		Use: "history SCHEDULE", Short: "List the runs of a schedule that have ended", Long: historyHelp, ValidArgsFunction: complete(cluster),
		Args: func(cmd *cobra.Command, args []string) error {
			if retained != "" {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		Example: "  kubectl assay schedule history nightly\n  kubectl assay schedule history nightly -o json | jq -r '.runs[] | [.name, .ended, .outcome] | @tsv'",
	}
	ofSchedule := onSchedule(cluster, func(cmd *cobra.Command, to kube.Cluster, of *v1alpha1.BenchmarkSchedule) error {
		past, why, err := stored.History(cmd.Context(), to.API, of)
		if err != nil {
			return fmt.Errorf("BenchmarkSchedule %s/%s: %w", of.Namespace, of.Name, err)
		}
		return writeHistory(cmd, format, output.History{Namespace: of.Namespace, Name: of.Name}, past, why)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if retained == "" {
			return ofSchedule(cmd, args)
		}
		to, err := cluster()
		if err != nil {
			return err
		}
		past, err := stored.RetainedHistory(cmd.Context(), to.API, to.Namespace, retained)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(cmd.ErrOrStderr(), "The schedule of this history may be gone: nothing says whether it is what Assay wrote."); err != nil {
			return err
		}
		return writeHistory(cmd, format, output.History{Namespace: to.Namespace, Name: retained}, past, "")
	}
	cmd.Flags().StringVar(&retained, "configmap", "", "a ConfigMap with the history of a schedule that was deleted, in place of a schedule")
	format.AddTo(cmd)
	return cmd
}

// writeHistory as a document or as a table.
func writeHistory(cmd *cobra.Command, format output.Format, doc output.History, past contract.History, why string) error {
	doc.Version, doc.Runs, doc.DroppedRuns = output.HistoryVersion, []output.PastRun{}, past.DroppedRuns
	for _, run := range past.Runs {
		doc.Runs = append(doc.Runs, pastRun(run))
	}
	return format.Write(cmd.OutOrStdout(), doc, func(out io.Writer) error { return tellHistory(out, doc, why) })
}

// pastRun for a document.
func pastRun(run contract.PastRun) output.PastRun {
	doc := output.PastRun{
		Name: run.Name, UID: run.UID, Trigger: run.Trigger, Ended: run.CompletionTime, Outcome: run.Outcome, Reason: run.Reason, Message: run.Message,
		Passed: run.Passed, Verdict: run.Verdict, Headline: run.Headline,
	}
	for _, s := range run.Series {
		series := output.PastSeries{Target: s.Target, Name: s.Name, Labels: s.Labels, Unit: s.Unit, Values: s.Values}
		for axis, value := range s.Parameters {
			if series.Parameters == nil {
				series.Parameters = map[string]string{}
			}
			series.Parameters[axis] = fmt.Sprint(value)
		}
		doc.Series = append(doc.Series, series)
	}
	return doc
}

func tellHistory(out io.Writer, doc output.History, why string) error {
	p := output.NewPage(out)
	if len(doc.Runs) == 0 {
		p.Line(cmp.Or(why, "The history has no run yet."))
		return p.Flush()
	}
	rows, results := [][]string{{"RUN", "ENDED", "OUTCOME", "GATE", "STARTED BY"}}, []string{""}
	for _, run := range slices.Backward(doc.Runs) {
		gate := ""
		if run.Passed != nil {
			gate = map[bool]string{true: "passed", false: "failed"}[*run.Passed]
		}
		rows = append(rows, []string{run.Name, run.Ended.UTC().Format("2006-01-02 15:04 UTC"), run.Outcome, gate, run.Trigger})
		results = append(results, cmp.Or(run.Message, run.Verdict, run.Headline))
	}
	p.RowsWith(rows, results)
	if doc.DroppedRuns > 0 {
		p.Blank()
		p.Line(fmt.Sprintf("The oldest %d were dropped: the history was full.", doc.DroppedRuns))
	}
	return p.Flush()
}
