package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/ground/contract"
)

const runNowHelp = `Start a run of a schedule now, also of one that is suspended.

Standard output has the kind and the name of the run, which every command takes in the place of a name. The command sets the annotation
assay.dev/run-now of the schedule, and waits until the manager has started the run: with concurrencyPolicy Forbid that is when the active
one has ended. It takes the right to create runs, besides that to change the schedule.`

// pause between two looks at the schedule.
const pause = 500 * time.Millisecond

func newRunNow(cluster connect) *cobra.Command {
	timeout := time.Duration(0)
	cmd := &cobra.Command{
		Use: "run-now SCHEDULE", Short: "Start a run of a schedule now", Long: runNowHelp, Args: cobra.ExactArgs(1), ValidArgsFunction: complete(cluster),
		Example: "  kubectl assay schedule run-now nightly\n  kubectl assay watch \"$(kubectl assay schedule run-now nightly)\"",
		RunE: onSchedule(cluster, func(cmd *cobra.Command, to kube.Cluster, of *v1alpha1.BenchmarkSchedule) error {
			value := time.Now().UTC().Format(time.RFC3339Nano)
			if err := ask(cmd.Context(), to, of, value); err != nil {
				return err
			}
			name := contract.ScheduledRunName(of.Spec.RunTemplate.NamePattern, of.Name, contract.RunNowID(string(of.UID), value))
			if err := started(cmd.Context(), to, waiting{schedule: of.Name, value: value, run: name, timeout: timeout}); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "benchmarkrun.assay.dev/"+contract.Line(name))
			return err
		}),
	}
	cmd.Flags().DurationVar(&timeout, "timeout", time.Minute, "how long the command waits until the run is started; it is asked for all the same. 0: not at all")
	return cmd
}

// ask for a run, by the annotation.
func ask(ctx context.Context, to kube.Cluster, of *v1alpha1.BenchmarkSchedule, value string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{v1alpha1.AnnotationRunNow: value}}})
	if err != nil {
		return fmt.Errorf("the annotation of BenchmarkSchedule %s: %w", of.Name, err)
	}
	if err := to.API.Patch(ctx, of, client.RawPatch(types.MergePatchType, patch), client.FieldOwner("kubectl-assay")); err != nil {
		return fmt.Errorf("asking BenchmarkSchedule %s/%s for a run: %w", of.Namespace, of.Name, err)
	}
	return nil
}

// waiting for a run that was asked for.
type waiting struct {
	schedule, value, run string
	timeout              time.Duration
}

// started waits until the manager has started the run.
func started(ctx context.Context, to kube.Cluster, w waiting) error {
	for end := time.Now().Add(w.timeout); w.timeout > 0; {
		of, err := read(ctx, to, w.schedule)
		if err != nil {
			return err
		}
		if of.Status.RunNow == w.value {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("run %s is asked for, and was not started within %s: %s. kubectl assay watch %s -n %s follows it when it is there", w.run, w.timeout, whyNot(of), w.run, of.Namespace)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return nil
}

// whyNot says why a schedule has not started a run that was asked for.
func whyNot(of *v1alpha1.BenchmarkSchedule) string {
	for _, name := range []string{v1alpha1.ConditionStalled, v1alpha1.ConditionOnSchedule} {
		c := apimeta.FindStatusCondition(of.Status.Conditions, name)
		if bad := name == v1alpha1.ConditionStalled; c != nil && (c.Status == metav1.ConditionTrue) == bad {
			return c.Reason + ": " + c.Message
		}
	}
	if len(of.Status.Active) > 0 {
		var names []string
		for _, run := range of.Status.Active {
			names = append(names, run.Name)
		}
		return "it waits for " + strings.Join(names, ", ")
	}
	return "no manager has taken it up (kubectl assay version)"
}
