package show

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/readout"
)

// pageOfRuns are read at once: the status of a run has up to some 100 KiB.
const pageOfRuns = 50

// listed are the runs of a namespace; empty for all.
type listed struct{ namespace string }

// Heads of the runs of a namespace, or of all for an empty one. Reading stops after so many; more says that there are others.
func Heads(ctx context.Context, api client.Reader, namespace string, most int) (heads []readout.RunHead, more bool, err error) {
	heads = []readout.RunHead{}
	for next := ""; ; {
		var runs v1alpha1.BenchmarkRunList
		if err := api.List(ctx, &runs, client.InNamespace(namespace), client.Limit(pageOfRuns), client.Continue(next)); err != nil {
			return nil, false, fmt.Errorf("listing BenchmarkRuns in %s: %w", listed{namespace}, err)
		}
		for i := range runs.Items {
			heads = append(heads, readout.HeadOf(&runs.Items[i]))
		}
		if next = runs.Continue; next == "" || len(heads) >= most {
			return heads, next != "", nil
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

// tell people of the runs: a word for each, and what it shows as far as the line has room.
func (l listed) tell(page *output.Page, doc readout.Runs, now time.Time) error {
	if len(doc.Runs) == 0 {
		text := fmt.Sprintf("no runs in %s: kubectl assay run -f FILE starts one, kubectl assay new writes one", l)
		if l.namespace != "" {
			text += "; -n names another namespace, and -A lists the runs of all"
		}
		page.Line(text)
		return page.Flush()
	}
	rows := [][]string{{"NAME", "PHASE", "TRIALS", "OUTCOME", "AGE", "ENDS", "SHOWS"}}
	for _, r := range doc.Runs {
		ends := ""
		if r.Ends != nil {
			ends = Left(r.Ends.Sub(now))
		}
		rows = append(rows, []string{
			r.Name, r.Phase, fmt.Sprintf("%d/%d", r.Trials.Done, r.Trials.Planned), r.Outcome, duration.HumanDuration(now.Sub(r.Created)), ends, r.Shows(),
		})
	}
	outcome := 3
	if l.namespace == "" {
		outcome++
		rows[0] = append([]string{"NAMESPACE"}, rows[0]...)
		for i, r := range doc.Runs {
			rows[i+1] = append([]string{r.Namespace}, rows[i+1]...)
		}
	}
	page.Rows(rows, func(row, column int) readout.Tone {
		if column != outcome {
			return ""
		}
		return doc.Runs[row-1].Tone()
	})
	return page.Flush()
}

// Left is how much time is left, for people.
func Left(d time.Duration) string {
	if d <= 0 {
		return "soon"
	}
	return "in " + figure.Duration(d)
}
