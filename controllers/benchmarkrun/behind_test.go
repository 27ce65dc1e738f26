package benchmarkrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
)

// namespaceOf others: a Service with slices, and pods. It counts what is asked of it.
type namespaceOf struct {
	slices []discoveryv1.EndpointSlice
	pods   map[string]*corev1.Pod
	// got are the pods that were asked for; most is the largest page of slices.
	got  []string
	most int64
}

func (n *namespaceOf) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	switch o := obj.(type) {
	case *corev1.Service:
		o.Name, o.Annotations = key.Name, map[string]string{"large": strings.Repeat("x", 1<<18)}
		o.Spec.Ports = []corev1.ServicePort{{Port: 3306}}
		return nil
	case *corev1.Pod:
		n.got = append(n.got, key.Name)
		if pod := n.pods[key.Name]; pod != nil {
			pod.DeepCopyInto(o)
			return nil
		}
		return apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, key.Name)
	}
	return fmt.Errorf("nobody should read a %T", obj)
}

func (n *namespaceOf) List(_ context.Context, list client.ObjectList, options ...client.ListOption) error {
	var o client.ListOptions
	o.ApplyOptions(options)
	found, is := list.(*discoveryv1.EndpointSliceList)
	if !is || o.Limit < 1 {
		return errors.New("only pages of slices should be read")
	}
	n.most = max(n.most, o.Limit)
	at := 0
	if o.Continue != "" {
		if _, err := fmt.Sscan(o.Continue, &at); err != nil {
			return err
		}
	}
	end := min(at+int(o.Limit), len(n.slices))
	found.Items = n.slices[at:end]
	if end < len(n.slices) {
		found.Continue = fmt.Sprint(end)
	}
	return nil
}

// sliceTo pods of these names.
func sliceTo(names ...string) discoveryv1.EndpointSlice {
	s := discoveryv1.EndpointSlice{Ports: []discoveryv1.EndpointPort{{Port: new(int32(3306))}}}
	for _, name := range names {
		s.Endpoints = append(s.Endpoints, discoveryv1.Endpoint{TargetRef: &corev1.ObjectReference{Kind: "Pod", Name: name}})
	}
	return s
}

// largePod is as large as the API server allows: what others put into it must not fill the memory of the manager.
func largePod(name string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "uid", Annotations: map[string]string{"a": strings.Repeat("x", 1<<18)}, Labels: map[string]string{"app.kubernetes.io/name": "mysql"}}}
	resources := corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}}
	for i := range 1000 {
		pod.Labels[fmt.Sprint("app.kubernetes.io/other-", i)] = strings.Repeat("l", 63)
		resources.Limits[corev1.ResourceName(fmt.Sprint("example.com/", i))] = resource.MustParse("1")
	}
	for i := range 20 {
		c := corev1.Container{Name: fmt.Sprint("c", i), Image: strings.Repeat("i", 1<<14), Resources: resources, Args: []string{strings.Repeat("a", 1<<14)}, Env: []corev1.EnvVar{{Name: "A", Value: strings.Repeat("e", 1<<14)}}}
		for p := range 1000 {
			c.Ports = append(c.Ports, corev1.ContainerPort{Name: fmt.Sprint("p", p), ContainerPort: int32(3306 + p)})
		}
		pod.Spec.Containers = append(pod.Spec.Containers, c)
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{Name: c.Name, ImageID: "id", RestartCount: 7, Resources: &resources,
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: strings.Repeat("m", 4096)}}})
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodInitialized, Message: strings.Repeat("c", 1<<14)}, {Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	return pod
}

// Of what others wrote, a bounded part is asked for and kept.
func TestWhatIsReadBehindAService(t *testing.T) {
	crowd := func(first, n int) (names []string) {
		for i := range n {
			names = append(names, fmt.Sprint("gone-", first+i))
		}
		return names
	}
	var nine, many []discoveryv1.EndpointSlice
	for i := range mostSlices + 1 {
		nine, many = append(nine, sliceTo("shop-0")), append(many, sliceTo(crowd(1000*i, 1000)...))
	}
	for name, tt := range map[string]struct {
		slices []discoveryv1.EndpointSlice
		// got are the pods that were asked for, kept those of the answer.
		got, kept []string
		cut       bool
	}{
		"a pod with two slices":                {[]discoveryv1.EndpointSlice{sliceTo("shop-0"), sliceTo("shop-0")}, []string{"shop-0"}, []string{"shop-0"}, false},
		"pods that are not there":              {[]discoveryv1.EndpointSlice{sliceTo("gone-0", "shop-0", "gone-0")}, []string{"gone-0", "shop-0"}, []string{"shop-0"}, false},
		"thousands of pods that are not there": {many, nil, nil, false},
		"more slices than are read":            {nine, []string{"shop-0"}, []string{"shop-0"}, true},
		"as many pods as are allowed":          {[]discoveryv1.EndpointSlice{sliceTo(crowd(0, 10)...), sliceTo(crowd(10, 6)...)}, crowd(0, 16), nil, false},
		"and one more":                         {[]discoveryv1.EndpointSlice{sliceTo(crowd(0, 10)...), sliceTo(crowd(10, 7)...)}, nil, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			world := &namespaceOf{slices: tt.slices, pods: map[string]*corev1.Pod{"shop-0": largePod("shop-0")}}
			r := &reader{live: world, run: &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns"}}}
			answer, err := r.behind(t.Context(), "shop")
			if err != nil {
				t.Fatal(err)
			}
			got := answer.(decision.Behind)
			if kept := slices.Sorted(maps.Keys(got.Pods)); !slices.Equal(world.got, tt.got) || !slices.Equal(kept, tt.kept) || got.Cut != tt.cut || world.most != 1 {
				t.Errorf("asked for %v, kept %v, cut %v, by %d slices; want %v, %v, %v, one by one", world.got, kept, got.Cut, world.most, tt.got, tt.kept, tt.cut)
			}
			if len(got.Names()) > v1alpha1.MaxServicePods+1 {
				t.Errorf("%d names are kept", len(got.Names()))
			}
			data, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			if most := 200 << 10; len(data) > most {
				t.Errorf("the answer has %d bytes, more than %d", len(data), most)
			}
		})
	}
}

// What tells what a pod is stays, within the bounds.
func TestWhatIsKeptOfAPodOfOthers(t *testing.T) {
	got := slimServer(largePod("shop-0"))
	limits := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}}
	if c := got.Spec.Containers; len(c) != mostContainers || len(c[0].Ports) != mostPorts || c[0].Ports[0].ContainerPort != 3306 || !cmp.Equal(c[0].Resources, limits) {
		t.Errorf("%d containers, the first one %+v", len(c), c[0])
	}
	want := corev1.ContainerStatus{Name: "c0", ImageID: "id", RestartCount: 7, Resources: &limits}
	if diff := cmp.Diff(want, got.Status.ContainerStatuses[0]); diff != "" {
		t.Errorf("status of a container (-want +got):\n%s", diff)
	}
	if !cmp.Equal(got.Labels, map[string]string{"app.kubernetes.io/name": "mysql"}) || !cmp.Equal(got.Status.Conditions, []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}) {
		t.Errorf("labels %v, conditions %v", got.Labels, got.Status.Conditions)
	}
}

// What is behind a Service is read by one pass at a time: it may be large.
func TestWhatIsReadAlone(t *testing.T) {
	for query, want := range map[decision.Query]bool{
		decision.ListBehind{Service: "shop"}: true, decision.ListPodsOn{Node: "n"}: true, decision.GetResult{Name: "r"}: true, decision.ListNodes{}: false, decision.GetNode{Name: "n"}: false,
	} {
		if got := isLarge(query, false); got != want {
			t.Errorf("%#v is large: %v, want %v", query, got, want)
		}
	}
}
