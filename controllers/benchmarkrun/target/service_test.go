package target

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
)

// serverPod is a pod of an operator of MariaDB with a sidecar; the status says that it was resized to 2 CPUs.
func serverPod(name, node string) *corev1.Pod {
	limits := func(cpu string) corev1.ResourceRequirements {
		return corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m")},
			Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("1Gi")},
		}
	}
	resized := limits("2")
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name), Labels: map[string]string{
			"app.kubernetes.io/name": "mariadb", "app.kubernetes.io/instance": "shop", "pod-template-hash": "x",
		}},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{
			{Name: "exporter", Image: "exporter:1", Ports: []corev1.ContainerPort{{ContainerPort: 9104}}},
			{Name: "mariadb", Image: "mariadb:11.8", Ports: []corev1.ContainerPort{{ContainerPort: 3306}}, Resources: limits("1")},
		}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, QOSClass: corev1.PodQOSBurstable, ContainerStatuses: []corev1.ContainerStatus{
			{Name: "exporter", ImageID: "exporter@sha256:1", RestartCount: 7},
			{Name: "mariadb", ImageID: "mariadb@sha256:2", RestartCount: 1, Resources: &resized},
		}},
	}
}

// behind a Service with port 3307 that leads to 3306 of the pods.
func behind(pods ...*corev1.Pod) decision.Behind {
	b := decision.Behind{Pods: map[string]*corev1.Pod{}, Service: &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "shop-primary"},
		Spec: corev1.ServiceSpec{ClusterIP: "10.0.0.9", ClusterIPs: []string{"10.0.0.9"}, Ports: []corev1.ServicePort{
			{Name: "mysql", Port: 3307}, {Name: "metrics", Port: 9104}, {Name: "dns", Port: 53, Protocol: corev1.ProtocolUDP},
		}},
	}}
	for _, p := range pods {
		b.Pods[p.Name] = p
		b.Endpoints = append(b.Endpoints, decision.Endpoint{Pod: p.Name, UID: p.UID, Ports: map[string]int32{"mysql": 3306, "metrics": 9104}})
	}
	return b
}

// shown is what the API shows of a pod that serverPod made.
func shown(name, node string) v1alpha1.ServicePod {
	return v1alpha1.ServicePod{
		Name: name, UID: "uid-" + name, NodeName: node, Labels: map[string]string{"name": "mariadb", "instance": "shop"}, QOSClass: "Burstable",
		Container: "mariadb", Image: "mariadb:11.8", ImageID: "mariadb@sha256:2",
		CPURequest: "500m", CPULimit: "2", MemoryLimit: "1Gi", RestartCount: new(int32(1)),
	}
}

func TestWhatIsBehindAService(t *testing.T) {
	headless := behind(serverPod("shop-0", "n0"))
	headless.Service.Spec = corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone}
	twice := behind(serverPod("shop-0", "n0"))
	twice.Endpoints = append(twice.Endpoints, twice.Endpoints[0]) // IPv6
	unready := behind(serverPod("shop-0", "n0"), serverPod("shop-1", "n1"))
	unready.Pods["shop-0"].Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
	saysSo := shown("shop-0", "n0")
	saysSo.Ready = new(false)
	ending := behind(serverPod("shop-0", "n0"), serverPod("shop-1", "n1"), serverPod("shop-2", "n2"), serverPod("shop-3", "n3"))
	ending.Pods["shop-1"].Status.Phase = corev1.PodSucceeded
	ending.Pods["shop-2"].DeletionTimestamp = &metav1.Time{}
	ending.Pods["shop-2"].DeletionTimestamp.Time = metav1.Now().Time
	ending.Pods["shop-3"].Status.Phase = corev1.PodPending
	elsewhere := behind(serverPod("shop-0", "n0"), serverPod("shop-1", "n1"))
	elsewhere.Endpoints[1].Ports = map[string]int32{"metrics": 9104}
	host := behind(serverPod("shop-0", "n0"))
	host.Service.Spec.ClusterIPs, host.Pods["shop-0"].Spec.HostNetwork = []string{"10.0.0.9", "fd00::9"}, true
	onNode := shown("shop-0", "n0")
	onNode.HostNetwork = true
	forbidden := func(targetPort intstr.IntOrString) decision.Behind {
		b := decision.Behind{Service: behind().Service, Forbidden: true}
		b.Service.Spec.Ports[0].TargetPort = targetPort
		return b
	}
	const mayNotLook = "the manager may not list endpointslices in the namespace: update its roles with the chart"
	cut := behind(serverPod("shop-0", "n0"))
	cut.Cut = true
	manual := behind()
	manual.Endpoints = []decision.Endpoint{{Ports: map[string]int32{"mysql": 13306}}}
	unknown := serverPod("shop-0", "n0")
	unknown.Spec.Containers[1].Ports = nil
	tests := map[string]struct {
		in   decision.Behind
		port int32
		want v1alpha1.ResolvedService
	}{
		"a primary": {behind(serverPod("shop-0", "n0")), 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIPs: []string{"10.0.0.9"}, PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{shown("shop-0", "n0")},
		}},
		"a cluster, by the names of the pods": {behind(serverPod("shop-1", "n1"), serverPod("shop-0", "n0")), 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIPs: []string{"10.0.0.9"}, PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{shown("shop-0", "n0"), shown("shop-1", "n1")},
		}},
		"a pod with two families of addresses": {twice, 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIPs: []string{"10.0.0.9"}, PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{shown("shop-0", "n0")},
		}},
		"headless: its ports lead nowhere else": {headless, 3306, v1alpha1.ResolvedService{
			Name: "shop-primary", PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{shown("shop-0", "n0")},
		}},
		"two families of addresses, and the network of a node": {host, 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIPs: []string{"10.0.0.9", "fd00::9"}, PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{onNode},
		}},
		"endpoints that somebody wrote": {manual, 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIPs: []string{"10.0.0.9"}, PodPorts: []int32{13306}, Unseen: "1 of its 1 ready endpoints are no pods of the namespace",
		}},
		"pods that have ended, are being deleted or do not run are none behind it": {ending, 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIPs: []string{"10.0.0.9"}, PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{shown("shop-0", "n0")},
		}},
		"an endpoint without the port": {elsewhere, 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIPs: []string{"10.0.0.9"}, PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{shown("shop-0", "n0")},
		}},
		"a pod that is not ready, whose address is published": {unready, 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIPs: []string{"10.0.0.9"}, PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{saysSo, shown("shop-1", "n1")},
		}},
		"more slices than are read": {cut, 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIPs: []string{"10.0.0.9"}, PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{shown("shop-0", "n0")}, Unseen: "it has more EndpointSlices than are read",
		}},
		"no container names the port: which one answers is not known": {behind(unknown), 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIPs: []string{"10.0.0.9"}, PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{{
				Name: "shop-0", UID: "uid-shop-0", NodeName: "n0", Labels: map[string]string{"name": "mariadb", "instance": "shop"}, QOSClass: "Burstable",
			}},
		}},
		"the manager may not look":                       {forbidden(intstr.IntOrString{}), 3307, v1alpha1.ResolvedService{Name: "shop-primary", ClusterIPs: []string{"10.0.0.9"}, PodPorts: []int32{3307}, Unseen: mayNotLook}},
		"and the Service says the port of its pods":      {forbidden(intstr.FromInt32(3306)), 3307, v1alpha1.ResolvedService{Name: "shop-primary", ClusterIPs: []string{"10.0.0.9"}, PodPorts: []int32{3306}, Unseen: mayNotLook}},
		"and the Service says only the name of the port": {forbidden(intstr.FromString("mysql")), 3307, v1alpha1.ResolvedService{Name: "shop-primary", ClusterIPs: []string{"10.0.0.9"}, Unseen: mayNotLook}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Found(tt.port, tt.in)
			if diff := cmp.Diff(Look{Service: tt.want}, got); diff != "" {
				t.Errorf("look (-want +got):\n%s", diff)
			}
		})
	}
}

func TestServicesThatCannotBeMeasured(t *testing.T) {
	outside := behind()
	outside.Service.Spec = corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "db.example.com"}
	var crowd []*corev1.Pod
	for range v1alpha1.MaxServicePods + 1 {
		crowd = append(crowd, serverPod("shop-"+strings.Repeat("x", len(crowd)), "n0"))
	}
	none := behind()
	none.Service.Spec.Ports = nil
	missing := behind()
	for i := range v1alpha1.MaxServicePods + 1 {
		missing.Endpoints = append(missing.Endpoints, decision.Endpoint{Pod: fmt.Sprint("gone-", i), Ports: map[string]int32{"mysql": 3306}})
	}
	replaced := behind(serverPod("shop-0", "n0"), serverPod("shop-1", "n1"))
	replaced.Endpoints[0].UID = "before"
	gone := behind(serverPod("shop-0", "n0"))
	delete(gone.Pods, "shop-0")
	unready := behind(serverPod("shop-0", "n0"))
	unready.Pods["shop-0"].Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
	starting := behind(serverPod("shop-0", "n0"))
	starting.Pods["shop-0"].Status.Phase = corev1.PodPending
	for name, tt := range map[string]struct {
		in     decision.Behind
		port   int32
		want   string
		passes bool
	}{
		"a name outside of the cluster": {outside, 3306, "it is a name of db.example.com, outside of the cluster: give this name as external.host", false},
		"another port":                  {behind(serverPod("shop-0", "n0")), 3306, "it has no TCP port 3306, but 3307 mysql, 9104 metrics, 53 dns: set external.port", false},
		"a port of another protocol":    {behind(serverPod("shop-0", "n0")), 53, "it has no TCP port 53", false},
		"no ports":                      {none, 3306, "it has no TCP port 3306, but none", false},
		"a crowd":                       {behind(crowd...), 3307, "more than 16 pods are behind it", false},
		"a crowd that is not there":     {missing, 3307, "more than 16 pods are behind it", false},
		"nobody is ready":               {behind(), 3307, "nothing that is ready is behind it", true},
		"nobody runs":                   {starting, 3307, "nothing that is ready is behind it", true},
		"nobody says that it is ready":  {unready, 3307, "pod shop-0 behind it is not ready", true},
		"a pod that is gone":            {gone, 3307, "an endpoint of it leads to pod shop-0, which is gone or was made anew", true},
		"a pod that was made anew":      {replaced, 3307, "an endpoint of it leads to pod shop-0, which is gone or was made anew", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Found(tt.port, tt.in); !strings.HasPrefix(got.Problem, tt.want) || got.Passes != tt.passes || got.Service.Unseen != "" {
				t.Errorf("%+v, want %q, passes %v", got, tt.want, tt.passes)
			}
		})
	}
}

// The status of the target shows what all its pods have in common, and nothing where one of them is unknown.
func TestWhatPodsBehindAServiceHaveInCommon(t *testing.T) {
	other := shown("shop-1", "n1")
	other.ImageID = "mariadb@sha256:3"
	for name, tt := range map[string]struct {
		service v1alpha1.ResolvedService
		want    v1alpha1.TargetStatus
	}{
		"one pod": {v1alpha1.ResolvedService{Pods: []v1alpha1.ServicePod{shown("shop-0", "n0")}},
			v1alpha1.TargetStatus{Name: "db", NodeName: "n0", ImageID: "mariadb@sha256:2", QOSClass: "Burstable"}},
		"two of one image": {v1alpha1.ResolvedService{Pods: []v1alpha1.ServicePod{shown("shop-0", "n0"), shown("shop-1", "n1")}},
			v1alpha1.TargetStatus{Name: "db", ImageID: "mariadb@sha256:2", QOSClass: "Burstable"}},
		"two images":                    {v1alpha1.ResolvedService{Pods: []v1alpha1.ServicePod{shown("shop-0", "n0"), other}}, v1alpha1.TargetStatus{Name: "db", QOSClass: "Burstable"}},
		"one of which nothing is known": {v1alpha1.ResolvedService{Unseen: "why", Pods: []v1alpha1.ServicePod{shown("shop-0", "n0")}}, v1alpha1.TargetStatus{Name: "db"}},
		"none":                          {v1alpha1.ResolvedService{}, v1alpha1.TargetStatus{Name: "db"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Common("db", tt.service)); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHowPodsBehindAServiceChanged(t *testing.T) {
	change := func(f func(*v1alpha1.ServicePod)) []v1alpha1.ServicePod {
		p := shown("shop-0", "n0")
		f(&p)
		return []v1alpha1.ServicePod{p}
	}
	one, two := []v1alpha1.ServicePod{shown("shop-0", "n0")}, []v1alpha1.ServicePod{shown("shop-0", "n0"), shown("shop-1", "n1")}
	for name, tt := range map[string]struct {
		from, to []v1alpha1.ServicePod
		want     []string
	}{
		"nothing":                   {two, two, nil},
		"a failover to another pod": {one, two[1:], []string{"pod shop-0 is no longer ready behind it", "pod shop-1 came behind it"}},
		"one more":                  {one, two, []string{"pod shop-1 came behind it"}},
		"nobody is left":            {one, nil, []string{"pod shop-0 is no longer ready behind it"}},
		"another pod of the name": {one, change(func(p *v1alpha1.ServicePod) { p.UID, p.NodeName = "new", "n2" }),
			[]string{"another pod took the place of shop-0 (n0 became n2)"}},
		"a restart": {one, change(func(p *v1alpha1.ServicePod) { p.RestartCount = new(int32(2)) }),
			[]string{"container mariadb of pod shop-0 started again: 1 restarts became 2"}},
		"restarts that are not known are none": {one, change(func(p *v1alpha1.ServicePod) { p.RestartCount = nil }), nil},
		"it is not ready any more": {change(func(p *v1alpha1.ServicePod) { p.Ready = new(true) }), change(func(p *v1alpha1.ServicePod) { p.Ready = new(false) }),
			[]string{"pod shop-0 became not ready"}},
		"what does not say whether it is ready is not other": {one, change(func(p *v1alpha1.ServicePod) { p.Ready = new(false) }), nil},
		"a resize": {one, change(func(p *v1alpha1.ServicePod) { p.CPULimit, p.MemoryLimit = "4", "" }),
			[]string{"pod shop-0 was resized: cpu limit 2 became 4", "pod shop-0 was resized: memory limit 1Gi became none"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, PodsChanged(tt.from, tt.to)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}
