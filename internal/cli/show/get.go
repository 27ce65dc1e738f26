package show

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
)

const getHelp = `List the runs of a namespace, or show the numbers of one.

Of one run it shows the answer first: what became of it, or its first verdict. Then the servers with their nodes and how fast
they were loaded, what became of the VolumeSnapshots that it makes, the medians of what it compares (without a declaration its
main measurement and one latency) with their intervals, the verdicts, in what else the sides differ, what speaks against the
numbers, what they do not say, and what to do next. -m shows another measurement, and -m all those that the status has, with
the comparisons that nobody declared. An interval marked (all) is that from the least to the largest value: fewer than 6 trials
have no interval.

A median with a * has a doubt: the column NOTES says which, and the lines below the table what that means.

Numbers that a published target quotes stand beside the measured ones, and are marked. Somebody else measured them, and
no test uses them. With --against, such as --against driver=mysql, they have their factor to the one of the same source with
this label: more than 1x is faster. Factors of measured numbers are the comparisons.

The command shows what the status of a run has, and of a bundle the findings of all its records. Where the run has more, it
says so.`

const getExamples = `  kubectl assay get
  kubectl assay get -A
  kubectl assay get demo
  kubectl assay get demo -m latency.percentile
  kubectl assay get demo.assay.tar -m all
  kubectl assay get demo -o json | jq .outcome`

// NewGet is the command `get`.
func NewGet(config *kube.Config) *cobra.Command {
	var view readout.View
	var format output.Format
	all := false
	cmd := &cobra.Command{
		Use: "get [RUN|BUNDLE]", Short: "List runs, or show the numbers of one", Long: getHelp, Example: getExamples, Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: config.CompleteRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			if len(args) == 0 {
				to, err := config.Cluster()
				if err != nil {
					return err
				}
				in := listed{namespace: to.Namespace}
				if all {
					in.namespace = ""
				}
				heads, _, err := Heads(cmd.Context(), to.API, in.namespace, math.MaxInt)
				if err != nil {
					return err
				}
				doc := readout.Runs{Version: readout.RunsVersion, Runs: heads}
				return format.Write(out, doc, func(out io.Writer) error { return in.tell(output.NewPage(out), doc, time.Now()) })
			}
			if all {
				return fmt.Errorf("--all-namespaces is for the list of runs: of run %s name the namespace with -n", args[0])
			}
			run, err := read(cmd.Context(), config, args[0])
			if err != nil {
				return err
			}
			if bundle.IsPath(args[0]) {
				view.Bundle = args[0]
			}
			doc := readout.StatusIn(run.Object, view, run.Records...)
			if view.Name != "" && len(doc.Measurements) == 0 {
				return fmt.Errorf("BenchmarkRun %s: its status has no number of %q: see the names in status.summary", client.ObjectKeyFromObject(run.Object), view.Name)
			}
			return format.Write(out, doc, func(out io.Writer) error { return Tell(out, doc, view.Name == readout.All) })
		},
	}
	format.AddTo(cmd)
	cmd.Flags().BoolVarP(&all, "all-namespaces", "A", false, "list the runs of all namespaces")
	cmd.Flags().StringVarP(&view.Name, "measurement", "m", "", "the measurement, such as latency.percentile; all: every one of the status")
	cmd.Flags().StringVar(&view.Against, "against", "", "the label of a baseline, such as driver=mysql: quoted numbers have a factor then")
	return cmd
}

// Unread is the error of a run that cannot be read.
func Unread(key client.ObjectKey, err error) error {
	if client.IgnoreNotFound(err) == nil && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse) { // which is the answer of a cluster without the kind
		return fmt.Errorf("there is no BenchmarkRun %s in namespace %s: kubectl assay get lists those that exist, and -n names another namespace", key.Name, key.Namespace)
	}
	return fmt.Errorf("reading BenchmarkRun %s: %w", key, err)
}

// read a run: of the cluster by its name its status, or of a bundle by its path, which needs no cluster, its records too.
func read(ctx context.Context, config *kube.Config, name string) (*stored.Run, error) {
	if bundle.IsPath(name) {
		b, err := bundle.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = b.Close() }() // it was only read
		return stored.ReadRecords(ctx, b)
	}
	to, err := config.Cluster()
	if err != nil {
		return nil, err
	}
	run, err := runOf(ctx, to, name)
	if err != nil {
		return nil, err
	}
	return stored.OfStatus(stored.InCluster(to.API, to.Key(name)), run), nil
}

// runOf a name. A run that is not there is an error that says so.
func runOf(ctx context.Context, to kube.Cluster, name string) (*v1alpha1.BenchmarkRun, error) {
	run := &v1alpha1.BenchmarkRun{}
	if err := to.API.Get(ctx, to.Key(name), run); err != nil {
		return nil, Unread(to.Key(name), err)
	}
	return run, nil
}
