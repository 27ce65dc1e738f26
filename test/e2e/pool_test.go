package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// onDemand are shapes whose nodes are made, in place of those of RunYAML.
func onDemand(text string) string {
	for name, memory := range map[string]string{"kind-target": "1Gi", "kind-client": "512Mi"} {
		kind := strings.TrimPrefix(name, "kind-")
		text = strings.ReplaceAll(text, "{name: "+name+"}",
			"{inline: {cpu: 750m, memory: "+memory+", nodes: Provisioned, provisionWithin: 5m, nodeSelector: {node.kubernetes.io/instance-type: kind."+kind+"}}}")
	}
	return text
}

// instanceType is the label of the nodes of the shapes.
const instanceType = "node.kubernetes.io/instance-type"

// poolNodes are the nodes of the shapes; none where the API server does not answer.
func poolNodes(ctx context.Context) (nodes []corev1.Node) {
	var list corev1.NodeList
	if err := cluster.API.List(ctx, &list, client.HasLabels{instanceType}); err != nil {
		return nil
	}
	for _, n := range list.Items {
		if strings.HasPrefix(n.Labels[instanceType], "kind.") {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

func cordon(ctx context.Context, n corev1.Node, is bool) error {
	if n.Spec.Unschedulable == is {
		return nil
	}
	return cluster.API.Patch(ctx, &n, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, is)))
}

// idleLooks after one another, each after lookAgain, a node is taken away: between two trials no pod is on that of the clients.
const (
	idleLooks = 30
	lookAgain = 500 * time.Millisecond
)

// emptyPool takes all nodes of the shapes away, and plays an autoscaler until the test ends: for each placeholder pod that is pending it
// gives one back that its selector asks for, and it takes those away again that no pod of a run is on. No kubelet stops or starts: the
// nodes are cordoned.
func emptyPool(t *testing.T) {
	t.Helper()
	// A run of the story before that is being deleted has its pods on these nodes: the autoscaler would leave them.
	eventually(t, 2*time.Minute, func() string {
		var runs v1alpha1.BenchmarkRunList
		if err := cluster.API.List(t.Context(), &runs); err != nil {
			return err.Error()
		}
		for _, r := range runs.Items {
			if r.DeletionTimestamp != nil {
				return "run " + r.Namespace + "/" + r.Name + " is still there"
			}
		}
		return ""
	})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	for _, n := range poolNodes(ctx) {
		if err := cordon(ctx, n, true); err != nil {
			t.Fatal(err)
		}
	}
	idle := map[string]int{} // looks at a node that nobody wanted
	scale := func() error {
		var pods corev1.PodList
		if err := cluster.API.List(ctx, &pods, client.HasLabels{v1alpha1.LabelRunUID}); err != nil {
			return err
		}
		used, pending, anywhere := map[string]bool{}, map[string]bool{}, 0
		for _, p := range pods.Items {
			switch {
			case p.Spec.NodeName != "":
				used[p.Spec.NodeName] = true
			case p.Labels[v1alpha1.LabelRole] == v1alpha1.RolePlaceholder && p.Spec.NodeSelector[instanceType] == "":
				anywhere++
			case p.Labels[v1alpha1.LabelRole] == v1alpha1.RolePlaceholder:
				pending[p.Spec.NodeSelector[instanceType]] = true
			default: // a pod of the run that is bound to its node, and may just be there
				pending["kind.target"], pending["kind.client"] = true, true
			}
		}
		for _, n := range poolNodes(ctx) {
			wanted := used[n.Name] || pending[n.Labels[instanceType]]
			if !wanted && anywhere > 0 {
				wanted, anywhere = true, anywhere-1
			}
			if idle[n.Name]++; wanted {
				idle[n.Name] = 0
			}
			if err := cordon(ctx, n, n.Spec.Unschedulable && !wanted || idle[n.Name] > idleLooks); err != nil {
				return err
			}
		}
		return nil
	}
	go func() {
		defer close(ended)
		failed := 0
		for ctx.Err() == nil {
			if err := scale(); err != nil && ctx.Err() == nil {
				if failed++; failed > 100 {
					t.Errorf("the played autoscaler: %v", err)
					return
				}
			}
			time.Sleep(lookAgain)
		}
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		for _, n := range poolNodes(context.Background()) {
			if err := cordon(context.Background(), n, false); err != nil {
				t.Error(err)
			}
		}
	})
}

// placesKept are the placeholder pods of a namespace.
func placesKept(t *testing.T, ns string) int {
	t.Helper()
	var pods corev1.PodList
	if err := cluster.API.List(t.Context(), &pods, client.InNamespace(ns), client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RolePlaceholder}); err != nil {
		t.Fatal(err)
	}
	return len(pods.Items)
}

// A run on a pool without nodes asks for them by pods that the real scheduler leaves pending, measures on those that come, and lets them go.
func TestPoolWithoutNodes(t *testing.T) {
	ns := cluster.Namespace(t)
	emptyPool(t)
	refused := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("existing", "", short)), time.Minute)
	failedWith(t, refused, v1alpha1.ReasonNoNodeOffersShape)
	run := cluster.Apply(t, ns, onDemand(cluster.RunYAML("ondemand", "", short)))
	cluster.AwaitState(t, run, time.Minute, "asked for nodes", func(r *v1alpha1.BenchmarkRun) bool {
		for _, c := range r.Status.Conditions {
			if c.Type == v1alpha1.ConditionPlaced && c.Reason == v1alpha1.ReasonProvisioningNodes {
				return true
			}
		}
		return r.Status.Placement != nil
	})
	got := cluster.AwaitRun(t, run, 3*time.Minute)
	cluster.Complete(t, got)
	if n := placesKept(t, ns); n > 0 {
		t.Errorf("%d placeholder pods are left", n)
	}
	eventually(t, 3*idleLooks*lookAgain, func() string {
		for _, n := range poolNodes(t.Context()) {
			if !n.Spec.Unschedulable {
				return "node " + n.Name + " is still there"
			}
		}
		return ""
	})
	t.Logf("placed %s after it was created", got.Status.StartTime.Sub(got.CreationTimestamp.Time))
}

// The manifest of a first look ends with what it measured in a cluster of one node, of two, and of none, and says which sizes it chose.
func TestOneManifestAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	data, err := os.ReadFile(filepath.Join(samples, "first.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "within: 2m", "within: 1m", 1) + "  deadline: 30m\n"
	for name, nodes := range map[string]int{"one node": 1, "two nodes": 2, "none": 0} {
		t.Run(name, func(t *testing.T) {
			ns := cluster.Namespace(t)
			switch nodes {
			case 0:
				emptyPool(t)
			case 1:
				n := poolNodes(t.Context())[0]
				if err := cordon(t.Context(), n, true); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					n.Spec.Unschedulable = true
					if err := cordon(context.Background(), n, false); err != nil {
						t.Error(err)
					}
				})
			}
			got := cluster.AwaitRun(t, cluster.Apply(t, ns, text), 10*time.Minute)
			cluster.Complete(t, got)
			p := got.Status.Placement
			if apart := !slices.Contains(p.ClientNodeNames, p.Targets[0].NodeName); apart != (nodes == 2) {
				t.Errorf("with %s, clients on nodes of their own: %t (%+v)", name, apart, p)
			}
			server, clients := got.Status.Resolved.Targets[0].Shape, got.Status.Resolved.ClientShape
			t.Logf("a server has cpu %s, memory %s, a client cpu %s, memory %s; %+v; %s", server.CPU.String(), server.Memory.String(), clients.CPU.String(), clients.Memory.String(),
				p, got.Status.Headline)
		})
	}
}

// poolWithoutNodes is a row of the matrix: the manager dies again and again while runs have their nodes made and let them go.
func poolWithoutNodes(t *testing.T, c *tally) {
	relaxBackOff(t, freshManager(t).Spec.NodeName)
	emptyPool(t)
	random := rand.New(rand.NewPCG(7, 7))
	const runs, trials = 5, 2
	for i := range runs {
		name := fmt.Sprintf("pool-%d", i)
		run := c.apply(t, name, trials, onDemand(cluster.RunYAML(name, "", fmt.Sprintf(chaosDesign, trials, 2*time.Second, ""))))
		last, patience := time.Now(), time.Duration(0)
		c.suffer(t, run, 10*time.Minute, nil, func(*v1alpha1.BenchmarkRun) {
			if pod := managerPod(t); pod != nil && running(pod) && time.Since(last) > patience && sigkill(t, pod.Spec.NodeName) {
				c.Injected++
				last, patience = time.Now(), 1500*time.Millisecond+time.Duration(random.Int64N(int64(3*time.Second)))
			}
		})
		if n := placesKept(t, c.ns); n > 0 {
			c.Wrong++
			t.Errorf("%d placeholder pods are left", n)
		}
	}
	c.Note = fmt.Sprintf("each of %d runs finds a pool without nodes; an autoscaler is played by cordoning the nodes of the cluster", runs)
}
