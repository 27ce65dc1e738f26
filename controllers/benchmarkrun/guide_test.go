package benchmarkrun

import (
	"os"
	"regexp"
	"strings"
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// What the guide says of gates happens as it says: its baseline, each of its gates, and the message.
func TestTheGuideOfGates(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../docs/guide/gate.md")
	if err != nil {
		t.Fatal(err)
	}
	b := &v1alpha1.BenchmarkBaseline{}
	var gates []v1alpha1.Gate
	for _, block := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```").FindAllStringSubmatch(string(data), -1) {
		if strings.Contains(block[1], "kind: BenchmarkBaseline") {
			if err := yaml.UnmarshalStrict([]byte(block[1]), b); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !strings.HasPrefix(block[1], "gate:") {
			continue // pipelines: test/e2e plays them
		}
		var part struct {
			Gate v1alpha1.Gate `json:"gate"`
		}
		if err := yaml.UnmarshalStrict([]byte(block[1]), &part); err != nil {
			t.Fatal(err)
		}
		gates = append(gates, part.Gate)
	}
	message := regexp.MustCompile("(?m)^```text\n(.* than baseline .*)\n```").FindStringSubmatch(string(data))
	if len(gates) != 6 || len(message) == 0 || b.Name == "" {
		t.Fatalf("%d gates, a message: %t, the baseline %q", len(gates), len(message) > 0, b.Name)
	}
	ns := server.Namespace(t)
	b.Namespace = ns
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(70))})
	if err := server.API.Create(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"False/Slower", "False/Slower", "False/Slower", "False/Slower", "Unknown/NotAlike", "False/Slower"} {
		run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
			r.Name, r.Spec.Gate, r.Spec.Design.Blocks = "gate-"+string(rune('a'+i)), &gates[i], 6
		})
		create(t, run)
		got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
		c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionPassed)
		if text := string(c.Status) + "/" + c.Reason; text != want {
			t.Errorf("gate %d: %s, want %s: %s", i, text, want, c.Message)
		}
		if i == 0 && c.Message != message[1] {
			t.Errorf("the message is\n%s\nand the guide says\n%s", c.Message, message[1])
		}
		if stalled := isTrue(v1alpha1.ConditionStalled)(got); stalled != (i == 5) {
			t.Errorf("gate %d: stalled %t", i, stalled)
		}
	}
}
