package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/cluster"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// thief is a tool that looks for what is not its own. Every attack ends in another way.
const thief = `
result() { echo '{"version":"assay.dev/custom-result/v1","tool":"thief","measurements":[{"name":"throughput","unit":"tx/s","n":1,"value":1}]}' > out.json; }
case $(attack) in
  look)
    echo "processes:"; cat /proc/[0-9]*/cmdline | tr '\000' ' '
    echo "tokens:"; ls /var/run/secrets /run/secrets; find / -name token -o -name password 2>/dev/null | grep -v '^/proc'
    echo "socket:"; ls -A /run/assay; touch /run/assay/mine && echo WRITTEN
    echo "roots:"; ls -d /proc/*/root/assay-agent
    echo "user:"; id -u
    result ;;
  forks) for i in 1 2 3 4 5 6 7 8; do setsid sleep 1000 & done; result ;;
  link) ln -s /var/run/secrets/kubernetes.io/serviceaccount/token out.json ;;
  pipe) mkfifo out.json ;;
  huge) dd if=/dev/zero of=out.json bs=1M count=100 ;;
  memory) x=xxxxxxxxxxxxxxxx; while true; do x=$x$x; done ;;
esac`

// A tool finds no token, sees no process of the agent, and has no way to the agent but what it
// prints. Whatever it does ends with a reason, and the next trial begins.
func TestAToolInItsSandbox(t *testing.T) {
	t.Parallel()
	ends := map[string]string{
		"look": "", "forks": "", "link": string(contract.ReasonOutputTruncated), "pipe": string(contract.ReasonOutputTruncated),
		"huge": string(contract.ReasonOutputTruncated), "memory": v1alpha1.ReasonClientOOMKilled,
	}
	ns := cluster.Namespace(t)
	text := cluster.RunYAML("thief", "", `
  matrix: [{name: attack, values: [look, forks, link, pipe, huge, memory]}]
  design: {blocks: 1, warmup: 0s, duration: 10s, onTrialFailure: Continue}
`)
	text = strings.Replace(text, "{sysbench: {test: oltp_read_write, threads: 2, tables: 2, tableSize: 2000}}", fmt.Sprintf(
		"{custom: {image: %q, run: {command: [sh, -c, %q]}, parameters: {attack: look}, threads: 1, format: Result, output: out.json}}",
		localImage(t, "mariadb:10.11"), thief), 1)
	applied := cluster.Apply(t, ns, cluster.Beside(text))
	tokens := make(chan []string, 1)
	go func() { tokens <- tokensOfPods(t, ns) }()
	run := cluster.AwaitRun(t, applied, 10*time.Minute)
	for _, trial := range run.Status.Trials {
		attack := trial.Parameters["attack"].StrVal
		if trial.Reason != ends[attack] {
			t.Errorf("%s ended with %q (%s), want %q", attack, trial.Reason, trial.Message, ends[attack])
		}
		delete(ends, attack)
		if attack == "look" {
			checkLook(t, rawFile(t, ns, trial.Result, "run/stdout.txt"), rawFile(t, ns, trial.Result, "run/stderr.txt"))
		}
	}
	if len(ends) > 0 {
		t.Errorf("attacks without a trial: %v", ends)
	}
	for _, where := range <-tokens {
		if !strings.HasSuffix(where, "/agent") {
			t.Errorf("a token is mounted in %s", where)
		}
	}
}

// checkLook reads what the thief found.
func checkLook(t *testing.T, out, errors string) {
	t.Helper()
	t.Logf("the thief found:\n%s%s", out, errors)
	// Its own script is among the processes that it found.
	processes, rest, _ := strings.Cut(out, "tokens:\n")
	if strings.Contains(processes, "client --namespace") {
		t.Errorf("the thief found the agent: %s", processes)
	}
	for _, bad := range []string{"WRITTEN", "secrets/", "/token", "/password", "10002", "tool.sock"} {
		if strings.Contains(rest, bad) {
			t.Errorf("the thief found %q", bad)
		}
	}
	for _, want := range []string{"assay-agent tool", "socket:\nroots:", "user:\n10001"} {
		if !strings.Contains(out, want) {
			t.Errorf("the thief did not find %q: did it look at all?", want)
		}
	}
}

// tokensOfPods are the containers of client pods that mount a token, by the first pod that is
// seen.
func tokensOfPods(t *testing.T, ns string) []string {
	var out []string
	for len(out) == 0 && t.Context().Err() == nil {
		var pods corev1.PodList
		if err := cluster.API.List(t.Context(), &pods, client.InNamespace(ns), client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleClient}); err != nil {
			return []string{err.Error()}
		}
		for _, pod := range pods.Items {
			for _, c := range append(pod.Spec.InitContainers, pod.Spec.Containers...) {
				for _, m := range c.VolumeMounts {
					if strings.HasPrefix(m.MountPath, "/var/run/secrets") {
						out = append(out, pod.Name+"/"+c.Name)
					}
				}
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	return out
}
