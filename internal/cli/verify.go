package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/bundle"
	"github.com/assay-bench/assay/internal/integrity"
	"github.com/assay-bench/assay/internal/stored"
)

const verifyHelp = `Compare all that a run has stored with the digests in its records and in its status.

Exit codes:
  0  everything holds
  1  nothing can be said: an object cannot be read, the run has not ended, or an older
     version of Assay began it, which made no chain
  6  something was changed after it was stored, or is gone; the output names it

Of a bundle ("kubectl assay export --bundle") every file is compared with the index first.

What is in an object store is compared with --objects, which names a copy of the folder of the
run (status.results.store), such as that of "aws s3 sync".

Whoever may write the status and the ConfigMaps of a run can make a new chain for it. Note
the head when the run has ended, and give it with --head.`

func newVerify(k *kubeconfig) *cobra.Command {
	var head, objects string
	cmd := &cobra.Command{
		Use: "verify RUN|BUNDLE", Short: "Compare what a run has stored with its digests", Long: verifyHelp, Args: cobra.ExactArgs(1),
		Example: "  kubectl assay verify demo\n  kubectl assay verify demo --head 3b1f...", ValidArgsFunction: k.CompleteRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, err := k.sources(args)
			if err != nil {
				return err
			}
			return verification{from: runs[0], head: head, objects: objects}.verify(cmd.Context(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&head, "head", "", "the head that was noted when the run had ended (status.integrity.head)")
	cmd.Flags().StringVar(&objects, "objects", "", "a copy of the run's folder in the object store, to be compared too")
	return cmd
}

// verification is what the command was called with.
type verification struct {
	from stored.Source
	// head that was noted, and the folder with the objects; may be empty.
	head, objects string
}

// verify a run, and print what holds.
func (v verification) verify(ctx context.Context, out io.Writer) error {
	look, done, err := lookIn(v.objects)
	if err != nil {
		return err
	}
	defer done()
	run, err := v.from.Run(ctx)
	if err != nil {
		return err
	}
	if !run.Finished() {
		return fmt.Errorf("%s has not ended: what it stores still grows", v.from)
	}
	if b, is := v.from.(*bundle.Bundle); is {
		if err := verifyFiles(b, out); err != nil {
			return err
		}
	}
	report, err := stored.Verify(ctx, v.from, run, look)
	if err != nil {
		return err
	}
	if !report.Chained {
		return fmt.Errorf("%s is not chained: an older version of Assay began it, or its status has lost the anchor", v.from)
	}
	return v.tell(out, run, report)
}

// tell what was compared, and what differs.
func (v verification) tell(out io.Writer, run *v1alpha1.BenchmarkRun, report integrity.Report) error {
	text := fmt.Sprintf("BenchmarkRun %s/%s, UID %s\n", run.Namespace, run.Name, run.UID)
	text += fmt.Sprintf("  compared: %d parts of the plan, %d of the records (%d attempts), %d of the summary, %d results\n",
		report.Plan, report.Records, report.Trials, report.Summary, report.Results)
	text += v.aboutObjects(run, report)
	text += fmt.Sprintf("  head: %s\n", run.Status.Integrity.Head)
	differs := len(report.Findings) > 0
	for _, f := range report.Findings {
		text += fmt.Sprintf("  %s: %s\n", f.Kind, f)
	}
	if v.head != "" && v.head != run.Status.Integrity.Head {
		differs = true
		text += fmt.Sprintf("  tampered: the head that was noted is %s\n", v.head)
	}
	if c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionValid); c != nil && c.Reason == v1alpha1.ReasonTampered {
		differs = true
		text += fmt.Sprintf("  tampered: the manager found at the end of the run: %s\n", c.Message)
	}
	if differs {
		text += "DIFFERS\n"
	} else {
		text += "verified\n"
	}
	_, err := io.WriteString(out, text)
	if differs {
		return errors.Join(errDiffers, err)
	}
	return err
}
