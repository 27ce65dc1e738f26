package notification

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// The commands of the guide for CI, as they are written there: the first one waits for the end, and
// the others say by their exit code what became of the run.
func TestKubectlWaits(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/guide/notifications.md")
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "kubectl wait ") {
			commands = append(commands, strings.ReplaceAll(line, "benchmarkrun/NAME", "benchmarkrun/nightly"))
		}
	}
	if len(commands) != 3 {
		t.Fatalf("the guide has %q", commands)
	}
	for name, tt := range map[string]struct {
		complete, passed metav1.ConditionStatus
		want             [2]bool
	}{
		"a run that passed":         {metav1.ConditionTrue, metav1.ConditionTrue, [2]bool{true, true}},
		"a run that did not pass":   {metav1.ConditionTrue, metav1.ConditionFalse, [2]bool{true, false}},
		"a run that failed":         {metav1.ConditionFalse, metav1.ConditionFalse, [2]bool{false, false}},
		"a gate without a baseline": {metav1.ConditionTrue, metav1.ConditionUnknown, [2]bool{true, false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			config := server.Kubeconfig(t, "", ns)
			runs := func(command string) error {
				ctx, cancel := context.WithTimeout(t.Context(), hang.Limit)
				defer cancel()
				cmd := exec.CommandContext(ctx, "bash", "-c", "exec "+command)
				cmd.Env = append(os.Environ(), "KUBECONFIG="+config, "PATH="+os.Getenv("KUBEBUILDER_ASSETS")+":"+os.Getenv("PATH"))
				out, err := cmd.CombinedOutput()
				t.Logf("%s%s", command, out)
				return err
			}
			run := endedRun(t, ns, "nightly", time.Now())
			set := func(condition string, status metav1.ConditionStatus) {
				apimeta.SetStatusCondition(&run.Status.Conditions, metav1.Condition{Type: condition, Status: status, Reason: "Because"})
			}
			set(v1alpha1.ConditionReconciling, metav1.ConditionTrue)
			set(v1alpha1.ConditionComplete, metav1.ConditionUnknown)
			if err := server.API.Status().Update(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- runs(commands[0]) }()
			select {
			case err := <-ended:
				t.Fatalf("it does not wait for the end: %v", err)
			case <-time.After(time.Second):
			}
			set(v1alpha1.ConditionReconciling, metav1.ConditionFalse)
			set(v1alpha1.ConditionComplete, tt.complete)
			set("Passed", tt.passed)
			if err := server.API.Status().Update(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err != nil {
				t.Errorf("waiting for the end: %v", err)
			}
			if got := [2]bool{runs(commands[1]) == nil, runs(commands[2]) == nil}; got != tt.want {
				t.Errorf("complete and passed: %v, want %v", got, tt.want)
			}
		})
	}
}
