package design

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/cli/manifest"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners"
)

const planHelp = `Say what a manifest will do, without a cluster.

It checks the spec as the API server does, and plans as the manager does: cells and trials, their order, the least time, what the
comparisons can show, the pods and nodes, and how much of etcd the results may take. It warns of settings that the servers
probably do not know, and of targets that differ in their names alone. The seed and the order are those that
the run will have.

What it cannot know without a cluster it says below: whether nodes offer the shapes, what ConfigMaps, Secrets and shapes hold
that are named, which versions and limits the operator has, and how long loading takes.`

const planExamples = `  kubectl assay plan -f benchmark.yaml
  kubectl assay plan -f benchmark.yaml --trials 100
  kubectl assay plan -f benchmark.yaml --set target.head.image=registry.example/server:pr-7
  kubectl assay plan -f benchmark.yaml -o json | jq .leastSeconds`

// NewPlan is the command `plan`.
func NewPlan() *cobra.Command {
	file, trials := "", 0
	var sets manifest.Sets
	var format output.Format
	cmd := &cobra.Command{
		Use: "plan -f FILE", Short: "Say what a manifest will do, without a cluster", Long: planHelp, Example: planExamples, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			data, err := manifest.ReadFile(file, cmd.InOrStdin())
			if err != nil {
				return err
			}
			run, err := runIn(data, sets...)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			doc, err := planOf(run)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			return format.Write(cmd.OutOrStdout(), doc, func(out io.Writer) error { return tellPlan(out, doc, trials) })
		},
	}
	cmd.Flags().StringVarP(&file, "filename", "f", "", "file with the manifest, or - for standard input (required)")
	_ = cmd.MarkFlagRequired("filename") //nolint:errcheck // the flag exists
	sets.AddTo(cmd.Flags())
	cmd.Flags().IntVar(&trials, "trials", 10, "how many trials are listed")
	format.AddTo(cmd)
	return cmd
}

// planOf a run with all defaults.
func planOf(run *v1alpha1.BenchmarkRun) (output.Plan, error) {
	f, err := experiment.Preview(run, experiment.Catalogue{Tool: runners.Find, Engine: engines.Find, Config: config.Default()})
	if err != nil {
		refused := experiment.RefusalOf(err)
		return output.Plan{}, fmt.Errorf("the manager would refuse it (%s): %s", refused.Reason, refused.Message)
	}
	doc := output.Plan{
		Version: output.PlanVersion, Name: run.Name, Message: f.Message, Order: string(f.Plan.Order), Blocks: int32(f.Plan.Blocks()), Seed: f.Plan.Seed,
		SHA256: f.Plan.SHA256(), Targets: f.Plan.Targets, LeastSeconds: f.Least.Seconds(), MayEndEarly: run.Spec.Search != nil || run.Spec.Design.StopsItself(),
		DeadlineSeconds: run.Spec.Deadline.Seconds(),
		LeastNodes:      leastNodes(run), Pods: podsOf(run), Bytes: f.Budget.Bytes, Unknown: unknownOf(run, f.Least),
		Needs: needsOf(run, f), Warnings: slices.Concat(warningsOf(run), quotaWarnings(run, f), memoryWarnings(run, f)),
	}
	if within := run.Spec.Design.Within; within != nil {
		doc.WithinSeconds = within.Seconds()
	}
	for _, cell := range f.Plan.Cells {
		doc.Cells = append(doc.Cells, textsOf(cell))
	}
	for _, t := range f.Plan.Trials {
		doc.Trials = append(doc.Trials, output.PlannedTrial{Index: t.Index, Block: t.Block, Cell: t.Cell, Target: f.Plan.Targets[t.Target], Reset: t.Reset, Restart: t.Restart})
	}
	if a := f.Analysis; a != nil {
		doc.Analysis = &output.PlannedAnalysis{Comparisons: a.ComparisonCount, BlocksNeeded: a.BlocksNeeded, PilotBlocks: a.PilotBlocks, Exploratory: a.Exploratory}
	}
	return doc, nil
}

func textsOf(cell plan.Cell) map[string]string {
	out := map[string]string{}
	for axis, value := range cell {
		out[axis] = value.String()
	}
	return out
}

// warningsOf a run: targets that are alike, and settings that its servers probably do not know.
func warningsOf(run *v1alpha1.BenchmarkRun) (out []string) {
	for i, t := range run.Spec.Targets {
		twin := func(other v1alpha1.Target) bool {
			other.Name = t.Name
			return apiequality.Semantic.DeepEqual(t, other)
		}
		if j := slices.IndexFunc(run.Spec.Targets[:i], twin); j >= 0 && t.Published == nil {
			servers := map[bool]string{true: "equal servers differ", false: "a server differs from itself"}[t.MySQL != nil]
			out = append(out, fmt.Sprintf("spec.targets[%d] is spec.targets[%d] but for its name: a comparison of the two shows how much %s", i, j, servers))
		}
		if t.MySQL == nil {
			continue
		}
		var list []contract.Setting
		for _, name := range slices.Sorted(maps.Keys(t.MySQL.Config)) {
			list = append(list, contract.Setting{Name: name, Value: t.MySQL.Config[name]})
		}
		doubts := settings.Doubts(t.MySQL.Flavor, t.MySQL.Version, list)
		for _, name := range slices.Sorted(maps.Keys(doubts)) {
			out = append(out, fmt.Sprintf("spec.targets[%d].mysql.config.%s: %s", i, name, doubts[name]))
		}
		out = append(out, doubtsOfMatrix(run.Spec.Matrix, *t.MySQL)...)
	}
	return slices.Compact(out)
}

// doubtsOfMatrix are warnings of settings that vary and that a server of the target probably does not know.
func doubtsOfMatrix(matrix []v1alpha1.Axis, server v1alpha1.MySQLTarget) (out []string) {
	for i, axis := range matrix {
		name, is := axis.Setting()
		if !is {
			continue
		}
		if doubt := settings.Doubts(server.Flavor, server.Version, []contract.Setting{{Name: name}})[name]; doubt != "" {
			out = append(out, fmt.Sprintf("spec.matrix[%d]: config.%s: %s", i, name, doubt))
		}
	}
	return out
}

// podsOf a run that exist at the same time.
func podsOf(run *v1alpha1.BenchmarkRun) []output.PlannedPods {
	out := []output.PlannedPods{}
	for _, t := range run.Provided() {
		out = append(out, output.PlannedPods{Role: "target", Name: t.Name, Count: int32(1 + run.Spec.FurtherServers(t)), Shape: shapeText(t.Shape)})
	}
	return append(out, output.PlannedPods{Role: "client", Count: int32(run.ClientCount()), Shape: shapeText(run.Spec.Clients.Shape)})
}

func shapeText(ref *v1alpha1.ShapeRef) string {
	switch {
	case ref == nil:
		return "chosen by the nodes"
	case ref.Inline == nil:
		return ref.Name
	}
	return fmt.Sprintf("cpu %s, memory %s", ref.Inline.CPU.String(), ref.Inline.Memory.String())
}

// leastNodes that the pods need at the same time: targets and servers of tenants may share one, a replica has no other database beside it, and
// clients are apart from targets unless the spec says otherwise.
func leastNodes(run *v1alpha1.BenchmarkRun) (n int32) {
	provided := run.Provided()
	if len(provided) == 0 {
		return 1
	}
	replicas := 0
	for _, t := range provided {
		if run.Spec.Design.IdleTargets == v1alpha1.IdleStopped {
			replicas = max(replicas, t.Replicas())
		} else {
			replicas += t.Replicas()
		}
	}
	n = int32(1 + replicas)
	if run.Spec.Clients.Placement.SeparateFromTargets == v1alpha1.SeparationRequired {
		n++
	}
	return n
}

// unknownOf a run without a cluster.
func unknownOf(run *v1alpha1.BenchmarkRun, least time.Duration) []string {
	var shapes, names, versions, varied, unchecked []string
	for _, axis := range run.Spec.Matrix {
		if _, is := axis.Setting(); is {
			varied = append(varied, axis.Name)
		}
	}
	shape := func(ref *v1alpha1.ShapeRef) {
		if ref != nil && ref.Inline == nil && !slices.Contains(shapes, ref.Name) {
			shapes = append(shapes, ref.Name)
		}
	}
	shape(run.Spec.Clients.Shape)
	for _, t := range run.Spec.Targets {
		switch {
		case t.MySQL != nil:
			shape(t.Shape)
			if t.MySQL.Image == "" {
				versions = append(versions, t.MySQL.Flavor+" "+t.MySQL.Version)
			}
			if len(t.MySQL.Config)+len(t.MySQL.ConfigFrom)+len(varied) > 0 && !settings.Knows(t.MySQL.Flavor, t.MySQL.Version) {
				unchecked = append(unchecked, strings.TrimSpace(t.MySQL.Flavor+" "+t.MySQL.Version))
			}
			for _, ref := range t.MySQL.ConfigFrom {
				names = append(names, "ConfigMap "+ref.Name)
			}
		case t.External != nil:
			names = append(names, "Secret "+t.External.Credentials.Name)
			if ref := t.External.ServiceRef; ref != nil {
				names = append(names, "Service "+ref.Name)
			}
		case t.Published != nil:
			names = append(names, "ConfigMap "+t.Published.ConfigMap.Name)
		}
	}
	if g := run.Spec.Gate; g != nil {
		for _, b := range g.Baselines() {
			names = append(names, "BenchmarkBaseline "+b.Name)
		}
	}
	out := []string{"the limits of the operator: its defaults are assumed", "whether nodes offer the shapes, and how long the run waits in the queue"}
	add := func(what string, list []string) {
		if len(list) > 0 {
			out = append(out, what+strings.Join(slices.Compact(slices.Sorted(slices.Values(list))), ", "))
		}
	}
	add("whether there are the shapes ", shapes)
	add("whether the operator's catalogue has ", versions)
	add("what the namespace has as ", names)
	add("whether servers know their settings (those of "+checked()+" are checked, of other versions of these only misspelt ones): ", unchecked)
	add("whether servers take all values of ", varied)
	took := "how long pods, loading, resets and restarts take"
	if least == 0 {
		took += ", and the operations of a trial"
	}
	return append(out, took)
}

// checked are the servers whose settings are known.
func checked() string {
	var out []string
	for _, e := range engines.All() {
		if version := settings.KnownVersion(e.Flavor); version != "" {
			out = append(out, e.Flavor+" "+version)
		}
	}
	return strings.Join(out, " and ")
}

// before a trial: what happens to the server.
func before(t output.PlannedTrial) string {
	switch {
	case t.Reset:
		return "reset"
	case t.Restart:
		return "restart"
	}
	return "-"
}

// tellPlan to people.
func tellPlan(out io.Writer, doc output.Plan, trials int) error {
	const without = ", without pods, loading, resets and restarts"
	least := "unknown: a trial ends when its operations, or its load, are done" + without
	switch {
	case doc.WithinSeconds > 0 && (doc.LeastSeconds == 0 || doc.WithinSeconds < doc.LeastSeconds):
		least = "about " + seconds(doc.WithinSeconds) + " from the first trial, and it may need less, without loading"
	case doc.LeastSeconds > 0 && doc.MayEndEarly:
		least = seconds(doc.LeastSeconds) + " for all trials, and it may need fewer" + without
	case doc.LeastSeconds > 0:
		least = "at least " + seconds(doc.LeastSeconds) + without
	}
	p := output.NewPage(out)
	p.Line(doc.Name + ": " + doc.Message)
	p.Blank()
	fields := [][2]string{
		{"order", fmt.Sprintf("%s, seed %d, plan %.12s", doc.Order, doc.Seed, doc.SHA256)},
		{"time", least + "; the deadline is " + seconds(doc.DeadlineSeconds)},
	}
	for _, p := range doc.Pods {
		fields = append(fields, [2]string{"pods", strings.TrimSpace(fmt.Sprintf("%d %s %s", p.Count, p.Role, p.Name)) + ": " + p.Shape})
	}
	if n := doc.Needs; n != nil {
		fields = append(fields, [2]string{"needs", fmt.Sprintf("%s; about %s of a server's memory beside its caches; %d open files of a client", n.Says, budget.Text(n.ServerBytes), n.ClientFiles)})
	}
	p.Fields(append(fields, [2]string{"nodes", fmt.Sprintf("at least %d", doc.LeastNodes)}, [2]string{"results", "at most " + budget.Text(doc.Bytes) + " of etcd"}))
	if n := min(max(trials, 0), len(doc.Trials)); n > 0 {
		p.Blank()
		table := [][]string{{"TRIAL", "BLOCK", "TARGET", "CELL", "BEFORE"}}
		for _, t := range doc.Trials[:n] {
			table = append(table, []string{
				strconv.Itoa(int(t.Index)), strconv.Itoa(int(t.Block)), t.Target, cellText(doc.Cells[t.Cell]), before(t),
			})
		}
		p.Rows(table, nil)
		if more := len(doc.Trials) - n; more > 0 {
			p.Line(fmt.Sprintf("and %d more (--trials %d)", more, len(doc.Trials)))
		}
	}
	for _, warning := range doc.Warnings {
		p.Blank()
		p.Line("warning: " + warning)
	}
	p.Section("not known without a cluster:", doc.Unknown...)
	return p.Flush()
}

func cellText(cell map[string]string) string {
	var words []string
	for _, axis := range slices.Sorted(maps.Keys(cell)) {
		words = append(words, axis+"="+cell[axis])
	}
	return strings.Join(words, " ")
}

func seconds(s float64) string { return figure.Duration(time.Duration(s * float64(time.Second))) }
