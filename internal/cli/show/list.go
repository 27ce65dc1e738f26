package show

import (
	"context"
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/output"
)

// pageOfRuns are read at once: the status of a run has up to some 100 KiB.
const pageOfRuns = 50

// listed are the runs of a namespace; empty for all.
type listed struct{ namespace string }

// list the runs.
func (l listed) list(ctx context.Context, api client.Reader) (output.Runs, error) {
	doc := output.Runs{Version: output.RunsVersion, Runs: []output.RunHead{}}
	for next := ""; ; {
		var runs v1alpha1.BenchmarkRunList
		if err := api.List(ctx, &runs, client.InNamespace(l.namespace), client.Limit(pageOfRuns), client.Continue(next)); err != nil {
			return doc, fmt.Errorf("listing BenchmarkRuns in %s: %w", l, err)
		}
		for i := range runs.Items {
			doc.Runs = append(doc.Runs, HeadOf(&runs.Items[i]))
		}
		if next = runs.Continue; next == "" {
			return doc, nil
		}
	}
}

// String is where they are, in words.
func (l listed) String() string {
	if l.namespace == "" {
		return "all namespaces"
	}
	return "namespace " + l.namespace
}

func (l listed) tell(out io.Writer, doc output.Runs, now time.Time, width int) error {
	if len(doc.Runs) == 0 {
		text := fmt.Sprintf("no runs in %s: kubectl assay run -f FILE starts one, kubectl assay new writes one", l)
		if l.namespace != "" {
			text += "; -n names another namespace, and -A lists the runs of all"
		}
		_, err := io.WriteString(out, text+"\n")
		return err
	}
	rows := [][]string{{"NAME", "PHASE", "TRIALS", "OUTCOME", "AGE", "ENDS", "VERDICT"}}
	for _, r := range doc.Runs {
		ends := ""
		if r.Ends != nil {
			ends = Left(r.Ends.Sub(now))
		}
		says := r.Verdict
		if says == "" && r.Outcome != "Passed" && r.Outcome != "Valid" {
			says = r.Message
		}
		if says == "" {
			says = r.Headline
		}
		rows = append(rows, []string{
			r.Name, r.Phase, fmt.Sprintf("%d/%d", r.Trials.Done, r.Trials.Planned), r.Outcome, duration.HumanDuration(now.Sub(r.Created)), ends, says,
		})
	}
	if l.namespace == "" {
		rows[0] = append([]string{"NAMESPACE"}, rows[0]...)
		for i, r := range doc.Runs {
			rows[i+1] = append([]string{r.Namespace}, rows[i+1]...)
		}
	}
	return output.Rows(out, width, rows)
}

// Left is how much time is left, for people.
func Left(d time.Duration) string {
	if d <= 0 {
		return "soon"
	}
	return "in " + duration.HumanDuration(d)
}
