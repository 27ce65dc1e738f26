package main

import (
	"context"
	"errors"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-bench/assay/hack/policy-agent/wire"
)

const letsClientIn = "podSelector: {matchLabels: {app: db}}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {matchLabels: {app: client}}}]}]"

// kernel is where rules are loaded in tests.
type kernel struct {
	mu    sync.Mutex
	rules string
	err   error
}

func (k *kernel) load(_ context.Context, rules string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err == nil {
		k.rules = rules
	}
	return k.err
}

func (k *kernel) loaded() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.rules
}

// api has the database on n1 with its address, and a client on n2 that has none yet.
func api(t *testing.T, more ...client.Object) client.Client {
	t.Helper()
	c := world(letsClientIn, "podSelector: {matchLabels: {app: client}}, policyTypes: [Egress]")
	c.pods = c.pods[:2]
	c.pods[1].Status.PodIP = ""
	c.policies[1].Name = "q"
	objects := more
	for i := range c.pods {
		c.pods[i].UID = types.UID("uid-" + c.pods[i].Name)
		objects = append(objects, &c.pods[i])
	}
	for i := range c.namespaces {
		objects = append(objects, &c.namespaces[i])
	}
	for i := range c.policies {
		objects = append(objects, &c.policies[i])
	}
	return fake.NewClientBuilder().WithObjects(objects...).WithStatusSubresource(&corev1.Pod{}).Build()
}

// start an agent, until the test ends.
func start(t *testing.T, node string, c client.Client, k *kernel) (a *agent, socket string) {
	t.Helper()
	a, socket = newAgent(node, c, c, k.load), filepath.Join(t.TempDir(), "s")
	a.cacheTimeout = 50 * time.Millisecond // timing: it has to run out: no change comes
	if err := a.listen(t.Context(), socket); err != nil {
		t.Fatal(err)
	}
	go func() { _ = a.follow(t.Context(), nil) }() // it never hears of a change
	return a, socket
}

var newClient = wire.Pod{Namespace: "a", Name: "client", UID: "uid-client", Address: netip.MustParseAddr("10.0.0.2")}

// The kubelet did not report the address, and the agent heard of no change.
func TestTheRulesOfANewPodAreThereBeforeItBegins(t *testing.T) {
	c, here, there := api(t), &kernel{}, &kernel{}
	_, socket := start(t, "n2", c, here)
	if err := wire.Send(t.Context(), socket, newClient); err != nil {
		t.Fatal(err)
	}
	if rules := here.loaded(); !strings.Contains(rules, "10.0.0.2 : jump from-10.0.0.2") {
		t.Errorf("its own node does not restrict it:\n%s", rules)
	}
	other := newAgent("n1", c, c, there.load)
	if err := other.apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ip saddr { 10.0.0.2 }"}, chain(there.loaded(), "to-10.0.0.1")); diff != "" {
		t.Errorf("the database's node (-want +got):\n%s", diff)
	}
}

func TestANewPodIsRefused(t *testing.T) {
	another := newClient
	another.UID = "of the pod of that name before"
	tests := map[string]struct {
		pod  wire.Pod
		load error
		want string
	}{
		"when the kernel takes no rules":    {newClient, errors.New("nft: no such file"), "no such file"},
		"when the API server does not know": {another, nil, "not in the API server"},
		"without an address":                {wire.Pod{Namespace: "a", Name: "client", UID: "uid-client"}, nil, "no pod with an IPv4 address"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, socket := start(t, "n2", api(t), &kernel{err: tt.load})
			if err := wire.Send(t.Context(), socket, tt.pod); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// unwritable is an API server that takes no ConfigMap, as when its disk is full.
type unwritable struct{ client.Client }

func (unwritable) Update(context.Context, client.Object, ...client.UpdateOption) error {
	return errors.New("etcdserver: mvcc: database space exceeded")
}

func TestANewPodNeedsNotTheOtherNodes(t *testing.T) {
	k := &kernel{}
	_, socket := start(t, "n2", unwritable{api(t)}, k)
	if err := wire.Send(t.Context(), socket, newClient); err != nil {
		t.Error(err)
	}
	if !strings.Contains(k.loaded(), "from-10.0.0.2") {
		t.Errorf("not restricted:\n%s", k.loaded())
	}
}

// published addresses of a node.
func published(t *testing.T, c client.Client, node string) map[string]string {
	t.Helper()
	var out corev1.ConfigMap
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: node}, &out); err != nil {
		t.Fatal(err)
	}
	return out.Data
}

func TestPublish(t *testing.T) {
	stale := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "n2"}, Data: map[string]string{"uid-client": "10.0.0.66"}}
	c := api(t, stale)
	a := newAgent("n2", c, c, (&kernel{}).load)
	steps := []struct {
		what string
		do   func(client *corev1.Pod) error
		want map[string]string
	}{
		{"what the agent before published is dropped", func(*corev1.Pod) error { return nil }, nil},
		{"an address that nobody reported", func(*corev1.Pod) error { a.own.add(newClient.UID, newClient.Address); return nil }, map[string]string{"uid-client": "10.0.0.2"}},
		{"the kubelet reported another: that of the sandbox before", func(p *corev1.Pod) error { p.Status.PodIP = "10.0.0.5"; return c.Status().Update(t.Context(), p) }, map[string]string{"uid-client": "10.0.0.2"}},
		{"the kubelet reported it", func(p *corev1.Pod) error { p.Status.PodIP = "10.0.0.2"; return c.Status().Update(t.Context(), p) }, nil},
		{"a new sandbox", func(*corev1.Pod) error { a.own.add(newClient.UID, netip.MustParseAddr("10.0.0.6")); return nil }, map[string]string{"uid-client": "10.0.0.6"}},
		{"the pod is gone", func(p *corev1.Pod) error { return c.Delete(t.Context(), p) }, nil},
	}
	for _, step := range steps {
		var pod corev1.Pod
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "client"}, &pod); err != nil {
			t.Fatal(err)
		}
		if err := step.do(&pod); err != nil {
			t.Fatal(err)
		}
		if err := a.publish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, published(t, c, "n2")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.what, diff)
		}
	}
}

func TestLearnedAddresses(t *testing.T) {
	known := func(node string) []corev1.Pod {
		c := world()
		for i := range c.pods {
			c.pods[i].UID = types.UID(c.pods[i].Name)
		}
		learned := byNode([]corev1.ConfigMap{{ObjectMeta: metav1.ObjectMeta{Name: node}, Data: map[string]string{"new": "10.0.0.8", "db": "10.0.0.7"}}})
		return withAddress(withLearned(c.pods, learned))
	}
	addresses := func(pods []corev1.Pod) (out []string) {
		for _, p := range pods {
			out = append(out, p.Status.PodIP)
		}
		slices.Sort(out)
		return out
	}
	// Both pods are on n1.
	if diff := cmp.Diff([]string{"10.0.0.2", "10.0.0.3", "10.0.0.7", "10.0.0.8"}, addresses(known("n1"))); diff != "" {
		t.Errorf("from their own node (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"10.0.0.1", "10.0.0.2", "10.0.0.3"}, addresses(known("n2"))); diff != "" {
		t.Errorf("from another node (-want +got):\n%s", diff)
	}
}

// The end of the pod that had the address is not reported yet.
func TestAnAddressBelongsToTheNewestPod(t *testing.T) {
	c := world(letsClientIn)
	successor := pod("a", "successor", "n1", "10.0.0.1", "other")
	successor.CreationTimestamp = metav1.NewTime(time.Unix(1000, 0))
	c.pods = append(c.pods, successor)
	rules, err := c.ruleset("n1")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(rules, "10.0.0.1") {
		t.Errorf("rules of the older one:\n%s", rules)
	}
	c.pods[0].CreationTimestamp = metav1.NewTime(time.Unix(2000, 0))
	if rules, err = c.ruleset("n1"); err != nil || strings.Count(rules, "10.0.0.1 : jump") != 1 {
		t.Errorf("%v, and the rules are not those of the newest:\n%s", err, rules)
	}
}
