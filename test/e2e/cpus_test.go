package e2e

import (
	"encoding/json"
	"flag"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

var staticCPUs = flag.Bool("static-cpus", false, "the cluster has to have the static CPU policy (make e2e-cpus)")

// exclusiveYAML is a run on one node, whose server has a CPU of its own. Nodes of kind are one machine, and each kubelet gives away the
// same CPUs: the tool of another node may run on the CPU of the server. The tool of the same node may not. With 2 CPUs, pods of a node may
// request 1900m (hack/kind/cpus-static.yaml): here 1 of the server, 300m of the tool and 250m of the agent, beside the 350m that DNS (twice
// 100m), the network (100m) and the manager (50m) request at the most.
const exclusiveYAML = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: exclusive}
spec:
  targets:
  - name: mariadb
    shape: {inline: {cpu: 1, cpus: Exclusive, memory: 1Gi, nodeSelector: {node.kubernetes.io/instance-type: kind.target}}}
    mysql: {flavor: MariaDB, version: "10.11", storage: {size: 1Gi}}
  clients:
    shape: {inline: {cpu: 300m, memory: 512Mi, nodeSelector: {node.kubernetes.io/instance-type: kind.target}}}
    placement: {separateFromTargets: None}
  workload: {sysbench: {test: oltp_read_only, threads: 2, tables: 2, tableSize: 2000}}
  design: {blocks: 2, warmup: 0s, duration: 4s}
  deadline: 20m
`

// A kubelet with the static CPU policy gives the server of an Exclusive shape a CPU of its own. The result has it, neither the tool nor
// the agent may run there, and no trial says that it was not given.
func TestExclusiveCPUs(t *testing.T) {
	if policy := cpuPolicy(t, "kind.target"); policy != "static" {
		if *staticCPUs {
			t.Fatalf("the kubelets of this cluster have cpuManagerPolicy: %s: make cluster CPUS=static makes it anew", policy)
		}
		t.Skipf("the kubelets of this cluster have cpuManagerPolicy: %s, and this story needs static: make e2e-cpus plays it", policy)
	}
	ns := cluster.Namespace(t)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, exclusiveYAML), 10*time.Minute)
	cluster.Complete(t, got)
	all := cluster.Records(t, got)
	if len(all) != 2 {
		t.Fatalf("%d records, want 2", len(all))
	}
	for _, rec := range all {
		res := cluster.Stored(t, ns, contract.TrialName(got.Name, rec.Index, rec.Attempt), 0)
		if res.Target == nil || res.Client.Agent == nil {
			t.Fatalf("trial %d has no environment of its target, or of the client's agent", rec.Index)
		}
		server := cpusOf(t, "the server", res.Target.Limits)
		if n := res.Target.Machine.CPUs; len(server) != 1 || n == nil || *n < 2 {
			t.Errorf("trial %d: the server may run on %v of %v CPUs, want one of several", rec.Index, server, n)
		}
		for side, limits := range map[string]contract.Limits{"the tool": res.Client.Limits, "the agent": res.Client.Agent.Limits} {
			for _, cpu := range cpusOf(t, side, limits) {
				if slices.Contains(server, cpu) {
					t.Errorf("trial %d: %s may run on CPU %d of the server", rec.Index, side, cpu)
				}
			}
		}
		for _, f := range rec.Findings {
			if f.Check == "cpu-not-exclusive" {
				t.Errorf("trial %d: %s", rec.Index, f.Message)
			}
		}
	}
	if class := string(got.TargetStatus("mariadb").QOSClass); class != string(corev1.PodQOSGuaranteed) {
		t.Errorf("the pod of the server is %q", class)
	}
}

// cpusOf a container, as its control group has them.
func cpusOf(t *testing.T, side string, limits contract.Limits) []int {
	t.Helper()
	if limits.CPUGroup == nil {
		t.Fatalf("the kernel shows no CPUs of %s", side)
	}
	return contract.CPUList(limits.CPUGroup.CPUs)
}

// cpuPolicy of the kubelet of the node with the instance type, as it says itself.
func cpuPolicy(t *testing.T, instanceType string) string {
	t.Helper()
	var nodes corev1.NodeList
	if err := cluster.API.List(t.Context(), &nodes, client.MatchingLabels{corev1.LabelInstanceTypeStable: instanceType}); err != nil {
		t.Fatal(err)
	}
	if len(nodes.Items) != 1 {
		t.Fatalf("%d nodes are of type %s", len(nodes.Items), instanceType)
	}
	raw, err := cluster.Clientset.CoreV1().RESTClient().Get().Resource("nodes").Name(nodes.Items[0].Name).SubResource("proxy").Suffix("configz").DoRaw(t.Context())
	if err != nil {
		t.Fatalf("the configuration of the kubelet: %v", err)
	}
	var says struct {
		KubeletConfig struct {
			CPUManagerPolicy string `json:"cpuManagerPolicy"`
		} `json:"kubeletconfig"`
	}
	if err := json.Unmarshal(raw, &says); err != nil || says.KubeletConfig.CPUManagerPolicy == "" {
		t.Fatalf("the configuration of the kubelet: %v: %.200s", err, raw)
	}
	return says.KubeletConfig.CPUManagerPolicy
}
