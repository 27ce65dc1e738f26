package benchmarkrun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// analysed is the good spec with one more field.
func analysed(text string) (replace, by string) {
	return "deadline: 1h", "deadline: 1h\n  analysis: " + text
}

// Every declaration that a run cannot satisfy is refused with the field and what is right.
func TestBadAnalyses(t *testing.T) {
	if err := nodes(); err != nil {
		t.Fatal(err)
	}
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	tests := map[string]struct{ analysis, refused, message string }{
		"an effect without a unit":       {analysis: `{minimumEffect: "2"}`, refused: "spec.analysis.minimumEffect"},
		"an effect of nothing":           {analysis: `{minimumEffect: "0%"}`, refused: "minimumEffect must be above 0% and at most 100%, such as 2%"},
		"an effect of more than all":     {analysis: `{minimumEffect: 101%}`, refused: "minimumEffect must be above 0%"},
		"an error rate of one in two":    {analysis: `{errorRate: 50%}`, refused: "errorRate must be from 0.1% to 20%, such as 5%"},
		"an aspect that there is not":    {analysis: `{requireLike: [colour]}`, refused: `supported values: "durability"`},
		"an aspect twice":                {analysis: `{requireLike: [cpu, cpu]}`, refused: "Duplicate value"},
		"a comparison without a factor":  {analysis: `{comparisons: [{}]}`, refused: "spec.analysis.comparisons[0].factor"},
		"no comparison at all":           {analysis: `{comparisons: []}`, refused: "should have at least 1 items"},
		"a part of nothing":              {analysis: `{comparisons: [{factor: target, within: {}}]}`, refused: "should have at least 1 properties"},
		"a side that differs in nothing": {analysis: `{comparisons: [{factor: target, baselineWithin: {}}]}`, refused: "should have at least 1 properties"},
		"a side of another target":       {analysis: `{comparisons: [{factor: target, baselineWithin: {target: db}}]}`, message: "spec.analysis.comparisons[0].baselineWithin: target is the factor itself: say its value on this side in baseline"},
		"a factor that there is not":     {analysis: `{comparisons: [{factor: threads}]}`, message: `spec.analysis.comparisons[0].factor: "threads" is no factor of this run: use one of target`},
		"a baseline that there is not":   {analysis: `{comparisons: [{factor: target, baseline: x}]}`, message: `spec.analysis.comparisons[0].baseline: "x" is no value of target: use one of db`},
		"a target against nothing":       {analysis: `{comparisons: [{factor: target}]}`, message: "spec.analysis.comparisons[0]: it compares nothing"},
		"a measurement that nobody has":  {analysis: `{comparisons: [{factor: target, measurements: [{name: speed}]}]}`, message: "spec.analysis.comparisons[0].measurements[0].name: the records of this tool have no speed"},
		"a control of a baseline unsaid": {analysis: `{control: true, comparisons: [{factor: target, baseline: x}]}`, message: `spec.analysis.comparisons: the baseline "x" is no target`},
	}
	n := 0
	for name, tt := range tests {
		n++
		t.Run(name, func(t *testing.T) {
			bad := badSpec{refused: tt.refused, reason: v1alpha1.ReasonInvalidSpec, message: tt.message}
			bad.replace, bad.by = analysed(tt.analysis)
			bad.try(t, ns, n)
		})
	}
	_, rest, _ := strings.Cut(goodSpec, target1)
	for name, bad := range map[string]badSpec{
		"a target called control": {
			replace: "  targets:\n  - name: db", by: "  analysis: {control: true}\n  targets:\n  - name: control",
			refused: "control is the name of the target that analysis.control adds: name yours otherwise",
		},
		"a control beside eight targets": {replace: "  targets:\n" + target1, by: "  analysis: {control: true}\n  targets:\n" + manyTargets(8), refused: "use at most 7 targets with it"},
		"too few blocks for what is declared": {
			replace: target1 + rest, by: target1 + strings.Replace(target1, "name: db", "name: other", 1) + strings.Replace(rest, "blocks: 3", "blocks: 6", 1) + "  analysis: {comparisons: [{factor: target}]}\n",
			reason: v1alpha1.ReasonInvalidSpec, message: "spec.analysis.comparisons: 2 comparisons need 7 blocks, and design.blocks is 6: raise it, compare less, or raise errorRate",
		},
		"a control of a server that exists": {
			replace: target1, by: external("fullsecret") + "  analysis: {control: true}\n", reason: v1alpha1.ReasonInvalidSpec,
			message: "spec.analysis.control: the baseline db is not a server that Assay provides (mysql)",
		},
	} {
		n++
		t.Run(name, func(t *testing.T) { bad.try(t, ns, n) })
	}
}

// twoSpeeds delivers a throughput of 150 of the target other, and of 100 of any other, each with a
// little noise that the block decides.
func twoSpeeds(trial contract.Trial) float64 {
	v := 100.0
	if trial.Ref.Target == "other" {
		v = 150
	}
	noise := 0
	for _, c := range trial.Ref.Target {
		noise += int(c)
	}
	if trial.Ref.Block != nil {
		noise += 7 * *trial.Ref.Block
	}
	return v * (1 + 0.001*float64(noise%5))
}

// A run ends with a verdict: declared comparisons, the control on a server of its own, the line, the
// event, and all of it in the summary's ConfigMap.
func TestRunEndsWithAVerdict(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(twoSpeeds)})
	run := newRun(t, ns, alsoTarget("other"), func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Design.Blocks, r.Spec.Design.Order = 8, v1alpha1.OrderABBA
		r.Spec.Matrix = []v1alpha1.Axis{{Name: "threads", Values: ints(4, 8)}}
		r.Spec.Analysis = &v1alpha1.Analysis{Control: true, Comparisons: []v1alpha1.Comparison{
			{Factor: "target", Baseline: new(intstr.FromString("db")), Within: v1alpha1.Exclusion{"threads": intstr.FromInt(8)}, Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}},
		}}
	})
	create(t, run)
	placed := await(t, run, "accepted", isTrue(v1alpha1.ConditionAccepted))
	if len(placed.Spec.Targets) != 2 || placed.Spec.Analysis.ErrorRate != "5%" {
		t.Errorf("the spec in the cluster was changed: %+v", placed.Spec)
	}
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 8*2*3)
	accepted := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionAccepted).Message
	if want := "48 trials planned: 2 cells x 3 targets x 8 blocks; 1 comparison needs 6 blocks; what they detect is not known before the run"; !strings.HasPrefix(accepted, want) {
		t.Errorf("Accepted: %q, want %q", accepted, want)
	}
	if want := "FASTER 1.50"; !strings.HasPrefix(got.Status.Verdict, want) || !strings.Contains(got.Status.Verdict, "), p 0.0078, 8 blocks: other against db, throughput, threads=8; CONTROL two servers of one spec are ") || got.Status.Outcome != "Faster" {
		t.Errorf("verdict %q, want %q", got.Status.Verdict, want)
	}
	var families []string
	for _, c := range got.Status.Comparisons {
		families = append(families, string(c.Family)+" "+c.Value+" "+string(c.Verdict))
	}
	if text := strings.Join(families, ", "); text != "Primary other Faster, Control control Equivalent, Control control Equivalent" {
		t.Errorf("comparisons %s", text)
	}
	if n := len(got.Status.Comparisons); got.Status.Results.ComparisonCount != int32(n) || got.Status.Results.ShownComparisonCount != int32(n) {
		t.Errorf("results %+v, want %d comparisons", got.Status.Results, n)
	}
	var stored []v1alpha1.ComparisonEntry
	for i := range got.Status.Results.SummaryConfigMapCount {
		part, err := journal.DecodeSummary(journalPart(t, got, contract.SummaryName(got.Name, i), contract.KeySummary))
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, part.Comparisons...)
	}
	if diff := cmp.Diff(stored, got.Status.Comparisons, cmpopts.IgnoreFields(v1alpha1.ComparisonEntry{}, "Text")); diff != "" {
		t.Errorf("stored and shown differ (-stored +shown):\n%s", diff)
	}
	awaitEvent(t, got, "Verdict", got.Status.Verdict)
	eventually(t, "the control's objects are gone", func() string {
		var secret corev1.Secret
		if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.TargetName(got.Name, v1alpha1.ControlName)}, &secret); err == nil && secret.DeletionTimestamp == nil {
			return "the Secret of the control is there"
		}
		return ""
	})
}
