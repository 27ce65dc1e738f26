package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/test/helpers/cluster"
)

// twoReleases carry out runs of a namespace each, and their managers are killed while schedules of both start runs. Neither
// keeps the other from what it owes, or does it in its place.
func twoReleases(t *testing.T, c *tally) {
	theirs := tallyIn(t, cluster.Namespace(t))
	changeValues(t, fmt.Sprintf("watchNamespaces: [%s]\nrbac: {scope: Namespaced}\n", c.ns))
	nodes := []string{freshManager(t).Spec.NodeName}
	if node := secondRelease(t, theirs.ns); node != nodes[0] {
		nodes = append(nodes, node)
	}
	for _, node := range nodes {
		relaxBackOff(t, node)
	}
	playTimetables(t, newTimetable(c, func() (killed bool) {
		up := 0
		for _, node := range nodes {
			out, _ := onNode(node, "sh", "-c", "pgrep -x manager || true") // a node that does not answer has none
			up += len(strings.Fields(out))
		}
		if up < 2 {
			return false // where both start at a time, the slower one would never come to its work
		}
		for _, node := range nodes {
			killed = sigkill(t, node) || killed
		}
		return killed
	}), newTimetable(theirs, nil))
	c.Add(theirs.Row)
	c.Note += fmt.Sprintf("; the same schedules of the other release, without orders and changes, had %d runs. Each kill was one of both managers", theirs.Runs)
}

// secondRelease of the chart, for a namespace, until the test ends. It returns the node of its manager.
func secondRelease(t *testing.T, watches string) string {
	t.Helper()
	const name, ns = "assay-two", "assay-two"
	helm := func(args ...string) []byte {
		t.Helper()
		out, err := exec.Command("../../bin/helm", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("helm %v: %v: %s", args, err, out)
		}
		return out
	}
	values := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(values, helm("get", "values", "assay", "--namespace", managerNamespace, "-o", "yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { helm("uninstall", name, "--namespace", ns, "--wait", "--ignore-not-found") })
	helm("install", name, "../../charts/assay", "--namespace", ns, "--create-namespace", "--wait", "--timeout", "3m",
		"--values", values, "--set", "watchNamespaces={"+watches+"}", "--set", "crds.install=false")
	var pods corev1.PodList
	eventually(t, time.Minute, func() string {
		err := cluster.API.List(t.Context(), &pods, client.InNamespace(ns), client.MatchingLabels{"app.kubernetes.io/name": "assay"})
		if err != nil || len(pods.Items) != 1 || !running(&pods.Items[0]) {
			return fmt.Sprintf("%d pods of the second manager, %v", len(pods.Items), err)
		}
		return ""
	})
	return pods.Items[0].Spec.NodeName
}
