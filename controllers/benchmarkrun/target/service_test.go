package target

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

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
		Status: corev1.PodStatus{QOSClass: corev1.PodQOSBurstable, ContainerStatuses: []corev1.ContainerStatus{
			{Name: "exporter", ImageID: "exporter@sha256:1", RestartCount: 7},
			{Name: "mariadb", ImageID: "mariadb@sha256:2", RestartCount: 1, Resources: &resized},
		}},
	}
}

// behind a Service with port 3307 that leads to 3306 of the pods.
func behind(pods ...*corev1.Pod) decision.Behind {
	b := decision.Behind{Pods: map[string]*corev1.Pod{}, Service: &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "shop-primary"},
		Spec: corev1.ServiceSpec{ClusterIP: "10.0.0.9", Ports: []corev1.ServicePort{
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
	replaced := behind(serverPod("shop-0", "n0"))
	replaced.Endpoints[0].UID = "before"
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
			Name: "shop-primary", ClusterIP: "10.0.0.9", PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{shown("shop-0", "n0")},
		}},
		"a cluster, by the names of the pods": {behind(serverPod("shop-1", "n1"), serverPod("shop-0", "n0")), 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIP: "10.0.0.9", PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{shown("shop-0", "n0"), shown("shop-1", "n1")},
		}},
		"a pod with two families of addresses": {twice, 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIP: "10.0.0.9", PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{shown("shop-0", "n0")},
		}},
		"headless: its ports lead nowhere else": {headless, 3306, v1alpha1.ResolvedService{
			Name: "shop-primary", PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{shown("shop-0", "n0")},
		}},
		"endpoints that somebody wrote": {manual, 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIP: "10.0.0.9", PodPorts: []int32{13306}, Unseen: "1 of its 1 ready endpoints are no pods of the namespace",
		}},
		"a pod that is gone, and its successor is not ready": {replaced, 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIP: "10.0.0.9", PodPorts: []int32{3306}, Unseen: "1 of its 1 ready endpoints are no pods of the namespace",
		}},
		"no container names the port: which one answers is not known": {behind(unknown), 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIP: "10.0.0.9", PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{{
				Name: "shop-0", UID: "uid-shop-0", NodeName: "n0", Labels: map[string]string{"name": "mariadb", "instance": "shop"}, QOSClass: "Burstable",
			}},
		}},
		"the manager may not look": {decision.Behind{Service: behind().Service, Forbidden: true}, 3307, v1alpha1.ResolvedService{
			Name: "shop-primary", ClusterIP: "10.0.0.9", PodPorts: []int32{3307},
			Unseen: "the manager may not list endpointslices in the namespace: update its roles with the chart",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, problem := Found(tt.port, tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" || problem != "" {
				t.Errorf("%s (-want +got):\n%s", problem, diff)
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
	for name, tt := range map[string]struct {
		in   decision.Behind
		port int32
		want string
	}{
		"a name outside of the cluster": {outside, 3306, "it is a name of db.example.com, outside of the cluster: give this name as external.host"},
		"another port":                  {behind(serverPod("shop-0", "n0")), 3306, "it has no TCP port 3306, but 3307 mysql, 9104 metrics, 53 dns: set external.port"},
		"a port of another protocol":    {behind(serverPod("shop-0", "n0")), 53, "it has no TCP port 53"},
		"no ports":                      {none, 3306, "it has no TCP port 3306, but none"},
		"nobody is ready":               {behind(), 3307, "nothing that is ready is behind it"},
		"a crowd":                       {behind(crowd...), 3307, "more than 16 pods are behind it"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, problem := Found(tt.port, tt.in); !strings.HasPrefix(problem, tt.want) {
				t.Errorf("%q, want %q", problem, tt.want)
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
