package trial

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// noise is text that does not compress to less than three quarters.
func noise(r *rand.Rand, n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	out := make([]byte, n)
	for i := range out {
		out[i] = letters[r.IntN(len(letters))]
	}
	return string(out)
}

// Whatever a tool says, the record of its trial stays within its part of the budget.
func TestARecordStaysWithinItsPart(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	in := Input{Run: &v1alpha1.BenchmarkRun{}, Config: config.Config{Limits: config.DefaultLimits()}, Plan: &plan.Plan{Trials: make([]plan.Trial, 720)}}
	values := func(label func(i int) string) (out []contract.RecordedValue) {
		for i := range in.mostValues() {
			out = append(out, contract.RecordedValue{
				Name: contract.NameThroughput, Labels: map[string]string{contract.LabelOperation: label(i)}, Value: r.Float64() * 1e5, Unit: "tx/s", Direction: contract.HigherIsBetter,
			})
		}
		return out
	}
	for name, tt := range map[string]struct {
		rec  contract.Record
		want contract.State
	}{
		"an honest record with as many values as it may have": {contract.Record{Values: values(func(i int) string { return fmt.Sprint("query ", i) })}, contract.Succeeded},
		"labels that do not compress":                         {contract.Record{Values: values(func(int) string { return noise(r, contract.MaxName) })}, contract.Failed},
		"findings that do not compress": {contract.Record{Message: noise(r, contract.MaxMessage), Findings: func() (out []contract.RecordedFinding) {
			for range 2 * maxFindings {
				out = append(out, contract.RecordedFinding{Check: noise(r, 20), Severity: v1alpha1.SeverityWarning, Message: noise(r, contract.MaxMessage)})
			}
			return out
		}()}, contract.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			tt.rec.State = contract.Succeeded
			got := in.bounded(tt.rec)
			if got.State != tt.want || tt.want == contract.Failed && got.Reason != v1alpha1.ReasonResultTooLarge {
				t.Errorf("state %s, %s: %s; want %s", got.State, got.Reason, got.Message, tt.want)
			}
			data, err := journal.Records{}.Add(got).Encode()
			if most := in.recordBytes(got); err != nil || int64(len(data)) > most {
				t.Errorf("%d bytes, %v; a record has %d", len(data), err, most)
			}
		})
	}
}

// The logs of a failure share what they may take, and each keeps its last lines.
func TestLogsStayWithinTheirPart(t *testing.T) {
	pods := make([]corev1.Pod, 6)
	known := decision.Known{}
	var end End
	for i := range pods {
		pods[i].Name = fmt.Sprint("client-", i)
		known = known.With(decision.ReadLog{Pod: pods[i].Name, Container: resources.AgentContainer}, strings.Repeat("x", 50<<10)+"the end").
			With(decision.ReadLog{Pod: pods[i].Name, Container: resources.RunnerContainer}, "short")
		end.Pods = append(end.Pods, &pods[i])
	}
	for _, most := range []int64{24 << 10, 900 << 10} {
		actions := keepLogs(Input{Run: &v1alpha1.BenchmarkRun{}}, Execution{Name: "run-trial-00000"}, end, most, known.Ask())
		text := actions[0].(decision.AddData).Value
		if n := strings.Count(text, "the end\n"); int64(len(text)) > most || n != maxLogs {
			t.Errorf("at most %d bytes: %d, with the ends of %d logs", most, len(text), n)
		}
		if most > 100<<10 && len(text) < maxLogs*maxLog {
			t.Errorf("%d bytes although there is room", len(text))
		}
	}
}
