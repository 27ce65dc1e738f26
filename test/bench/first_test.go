package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// From the request to create a run to its first measured query, on data that exists: nothing to
// provision, to load or to warm up. Ten runs with new client pods, ten with those that stand.
func BenchmarkFirstQuery(b *testing.B) {
	for b.Loop() {
		firstQuery(b)
	}
}

func firstQuery(b *testing.B) {
	ns := cluster.Namespace(b)
	// The server is the target of another run, which is kept.
	host := cluster.AwaitRun(b, cluster.Apply(b, ns, cluster.Beside(cluster.RunYAML("host", "", "  design: {blocks: 1, warmup: 0s, duration: 2s}\n  retain: Always\n"))), 5*time.Minute)
	cluster.Complete(b, host)
	cluster.OpenDatabases(b, ns)
	var secret corev1.Secret
	if err := cluster.API.Get(b.Context(), client.ObjectKey{Namespace: ns, Name: contract.TargetName("host", "mariadb")}, &secret); err != nil {
		b.Fatal(err)
	}
	address, _, _ := strings.Cut(host.Status.Targets[0].Address, ":")
	target := fmt.Sprintf("  - name: db\n    external: {data: Existing, host: %s, tls: Disabled, insecureSkipVerify: true, credentials: {name: %s}}", address, secret.Name)
	for _, pods := range []v1alpha1.ClientPods{v1alpha1.ClientPodsPerTrial, v1alpha1.ClientPodsStanding} {
		var steps [4][]float64
		for i := range 10 {
			name := fmt.Sprintf("%s-%d", strings.ToLower(string(pods)), i)
			text := cluster.RunYAML(name, target, "  design: {blocks: 1, warmup: 0s, duration: 2s, clientPods: "+string(pods)+"}\n")
			asked := time.Now()
			run := cluster.Apply(b, ns, cluster.Beside(strings.Replace(text, "oltp_read_write", "oltp_read_only", 1)))
			got := cluster.AwaitRun(b, run, 2*time.Minute)
			cluster.Complete(b, got)
			looked := cluster.Stored(b, ns, contract.LoadName(name, "db"), 0).Times
			first := cluster.Stored(b, ns, contract.TrialName(name, 0, 0), 0).Times
			window := cluster.Records(b, got)[0].WindowStartTime
			for step, ended := range []time.Time{*looked.AgentStarted, *first.AgentStarted, *first.Ready, *window} {
				steps[step] = append(steps[step], ended.Sub(asked).Seconds())
			}
		}
		for step, what := range []string{"look-agent", "trial-agent", "trial-ready", "first-query"} {
			report(b, string(pods)+"-"+what, "s", steps[step])
		}
	}
}
