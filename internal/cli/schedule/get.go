package schedule

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// New is the command `schedule`.
func New(config *kube.Config) *cobra.Command {
	cmd := &cobra.Command{Use: "schedule", Short: "Look at schedules, and start a run of one now"}
	cmd.AddCommand(newGet(config.Cluster), newHistory(config.Cluster), newRunNow(config.Cluster))
	return cmd
}

// connect to the cluster of the user.
type connect func() (kube.Cluster, error)

// onSchedule is a command that does something with the schedule that it names.
func onSchedule(cluster connect, do func(*cobra.Command, kube.Cluster, *v1alpha1.BenchmarkSchedule) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		to, err := cluster()
		if err != nil {
			return err
		}
		of, err := read(cmd.Context(), to, args[0])
		if err != nil {
			return err
		}
		return do(cmd, to, of)
	}
}

const getHelp = `List the schedules of a namespace, or show one: when it starts runs, the next time, what became of its last run, and what has become
slower.`

func newGet(cluster connect) *cobra.Command {
	var format output.Format
	all := false
	cmd := &cobra.Command{
		Use: "get [SCHEDULE]", Short: "List schedules, or show one", Long: getHelp, Args: cobra.MaximumNArgs(1), ValidArgsFunction: complete(cluster),
		Example: "  kubectl assay schedule get\n  kubectl assay schedule get nightly\n  kubectl assay schedule get -o json | jq -r '.schedules[] | select(.ready != \"True\") | .message'",
		RunE: func(cmd *cobra.Command, args []string) error {
			to, err := cluster()
			if err != nil {
				return err
			}
			doc := output.Schedules{Version: output.SchedulesVersion, Schedules: []output.Schedule{}}
			if len(args) == 1 {
				of, err := read(cmd.Context(), to, args[0])
				if err != nil {
					return err
				}
				doc.Schedules = append(doc.Schedules, about(of))
				return format.Write(cmd.OutOrStdout(), doc, func(out io.Writer) error { return tellOne(out, doc.Schedules[0], time.Now()) })
			}
			namespace := to.Namespace
			if all {
				namespace = ""
			}
			var list v1alpha1.BenchmarkScheduleList
			if err := to.API.List(cmd.Context(), &list, client.InNamespace(namespace)); err != nil {
				return fmt.Errorf("listing BenchmarkSchedules: %w", err)
			}
			for i := range list.Items {
				doc.Schedules = append(doc.Schedules, about(&list.Items[i]))
			}
			return format.Write(cmd.OutOrStdout(), doc, func(out io.Writer) error { return tellAll(out, doc, all, time.Now()) })
		},
	}
	format.AddTo(cmd)
	cmd.Flags().BoolVarP(&all, "all-namespaces", "A", false, "list the schedules of all namespaces")
	return cmd
}

// read a schedule of the namespace of the user.
func read(ctx context.Context, to kube.Cluster, name string) (*v1alpha1.BenchmarkSchedule, error) {
	of := &v1alpha1.BenchmarkSchedule{}
	err := to.API.Get(ctx, client.ObjectKey{Namespace: to.Namespace, Name: name}, of)
	if apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse) { // which is the answer of a cluster without the kind
		return nil, fmt.Errorf("there is no BenchmarkSchedule %s in namespace %s: kubectl assay schedule get lists those that exist, and -n names another namespace", name, to.Namespace)
	}
	if err != nil {
		return nil, fmt.Errorf("reading BenchmarkSchedule %s/%s: %w", to.Namespace, name, err)
	}
	return of, nil
}

// complete the name of a schedule.
func complete(cluster connect) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
		to, err := cluster()
		var list v1alpha1.BenchmarkScheduleList
		if err != nil || len(args) > 0 || to.API.List(cmd.Context(), &list, client.InNamespace(to.Namespace)) != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, of := range list.Items {
			names = append(names, of.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// about a schedule.
func about(of *v1alpha1.BenchmarkSchedule) output.Schedule {
	st := of.Status
	doc := output.Schedule{
		Namespace: of.Namespace, Name: of.Name, When: of.Spec.Schedule, TimeZone: of.Spec.TimeZone, Suspended: of.Spec.Suspend, Ready: string(metav1.ConditionUnknown),
	}
	for _, run := range st.Active {
		doc.Active = append(doc.Active, run.Name)
	}
	if st.NextScheduleTime != nil {
		doc.Next = &st.NextScheduleTime.Time
	}
	if l := st.LastRun; l != nil {
		doc.LastRun = &output.PastRun{
			Name: l.Name, UID: l.UID, Trigger: string(l.Trigger), Ended: l.CompletionTime.Time, Outcome: l.Outcome, Reason: l.Reason, Message: l.Message, Verdict: l.Verdict, Headline: l.Headline,
		}
	}
	if st.Missed != nil {
		doc.Missed = st.Missed.Count
	}
	for _, r := range st.Regressions {
		doc.Regressions = append(doc.Regressions, r.Text)
	}
	if st.History != nil {
		doc.KeptRuns = st.History.RunCount
	}
	if c := apimeta.FindStatusCondition(st.Conditions, v1alpha1.ConditionScheduleReady); c != nil {
		if doc.Ready = string(c.Status); c.Status != metav1.ConditionTrue {
			doc.Message = c.Reason + ": " + c.Message
		}
	}
	return doc
}

// next time of a schedule, in words.
func next(of output.Schedule, now time.Time) string {
	switch {
	case of.Suspended:
		return "suspended"
	case of.Next == nil:
		return ""
	case of.Next.After(now):
		return "in " + figure.Duration(of.Next.Sub(now))
	}
	return "now"
}

// last run of a schedule, in words.
func last(of output.Schedule, now time.Time) string {
	if of.LastRun == nil {
		return ""
	}
	return fmt.Sprintf("%s %s ago", of.LastRun.Outcome, figure.Duration(now.Sub(of.LastRun.Ended)))
}

func tellAll(out io.Writer, doc output.Schedules, all bool, now time.Time) error {
	if len(doc.Schedules) == 0 {
		p := output.NewPage(out)
		p.Line("no schedules: docs/guide/schedule.md has one to begin with; -n names another namespace, and -A lists those of all")
		return p.Flush()
	}
	rows := [][]string{{"NAME", "SCHEDULE", "NEXT", "ACTIVE", "LAST RUN", "REGRESSED", "READY"}}
	for _, of := range doc.Schedules {
		regressed := ""
		if n := len(of.Regressions); n > 0 {
			regressed = strconv.Itoa(n)
		}
		when := strings.TrimSpace(strings.Join(strings.Fields(of.When), " ") + " " + of.TimeZone)
		rows = append(rows, []string{of.Name, when, next(of, now), strings.Join(of.Active, " "), last(of, now), regressed, of.Ready})
	}
	if all {
		rows[0] = append([]string{"NAMESPACE"}, rows[0]...)
		for i, of := range doc.Schedules {
			rows[i+1] = append([]string{of.Namespace}, rows[i+1]...)
		}
	}
	return output.Rows(out, rows)
}

func tellOne(out io.Writer, of output.Schedule, now time.Time) error {
	rows := [][2]string{{"schedule", of.Namespace + "/" + of.Name}, {"ready", strings.TrimSuffix(of.Ready+": "+of.Message, ": ")}}
	add := func(what, text string) {
		if text != "" {
			rows = append(rows, [2]string{what, text})
		}
	}
	when := ""
	if of.When != "" {
		when = strings.ReplaceAll(strings.TrimSpace(of.When), "\n", "; ") + ", " + cmp.Or(of.TimeZone, "UTC")
	}
	add("when", cmp.Or(when, "at no times"))
	add("next", next(of, now))
	add("active", strings.Join(of.Active, ", "))
	if l := of.LastRun; l != nil {
		add("last run", l.Name+": "+last(of, now))
		add("", cmp.Or(l.Message, l.Verdict, l.Headline))
	}
	if of.Missed > 0 {
		add("missed", fmt.Sprintf("%d times", of.Missed))
	}
	for _, text := range of.Regressions {
		add("slower", text)
	}
	add("history", fmt.Sprintf("%d runs: kubectl assay schedule history %s -n %s", of.KeptRuns, of.Name, of.Namespace))
	p := output.NewPage(out)
	p.Fields(rows)
	return p.Flush()
}
