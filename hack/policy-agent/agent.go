package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/hack/policy-agent/wire"
)

// publishTimeout bounds the wait for the API server while a pod starts.
const publishTimeout = time.Second

// agent keeps the rules of one node.
type agent struct {
	node string
	// objects of the API server, from a cache.
	objects client.Reader
	// api writes the addresses of this node's new pods.
	api client.Client
	// load rules into the kernel.
	load func(ctx context.Context, rules string) error
	// loaded is the last table that was loaded; only apply uses it.
	loaded string
	// now wants the rules made anew, and an answer when they are in force.
	now chan chan error
	// cacheTimeout bounds the wait for a new pod to come into the cache. It was there before the
	// kubelet began with it, so this takes no time as a rule.
	cacheTimeout time.Duration
	// own are the addresses of this node's new pods.
	own addresses
}

func newAgent(node string, objects client.Reader, api client.Client, load func(context.Context, string) error) *agent {
	return &agent{node: node, objects: objects, api: api, load: load, cacheTimeout: 3 * time.Second, now: make(chan chan error)}
}

// follow the changes until the context ends.
func (a *agent) follow(ctx context.Context, changed <-chan struct{}) error {
	for {
		var answer chan error
		select {
		case <-ctx.Done():
			return nil
		case answer = <-a.now: // a pod waits
		case <-changed:
			time.Sleep(gather)
		}
		err := a.apply(ctx)
		if answer != nil {
			answer <- err
		}
		if err != nil {
			return err
		}
	}
}

// apply makes the rules and loads them, if they are others than before.
func (a *agent) apply(ctx context.Context) error {
	c, err := a.read(ctx)
	if err != nil {
		return err
	}
	rules, err := c.ruleset(a.node)
	if err != nil || rules == a.loaded {
		return err
	}
	if err := a.load(ctx, rules); err != nil {
		return err
	}
	a.loaded = rules
	return nil
}

// read the cluster from the cache, with the addresses that the kubelets did not report yet.
func (a *agent) read(ctx context.Context) (cluster, error) {
	var pods corev1.PodList
	var namespaces corev1.NamespaceList
	var policies networkingv1.NetworkPolicyList
	var published corev1.ConfigMapList
	for _, list := range []client.ObjectList{&pods, &namespaces, &policies, &published} {
		if err := a.objects.List(ctx, list); err != nil {
			return cluster{}, err
		}
	}
	known := byNode(published.Items)
	known[a.node] = a.own.all() // what is published may be older
	return cluster{withLearned(pods.Items, known), namespaces.Items, policies.Items}, nil
}

// listen for new pods on a socket, until the context ends.
func (a *agent) listen(ctx context.Context, socket string) error {
	l, err := wire.Listen(socket)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /pods", func(w http.ResponseWriter, r *http.Request) {
		if err := a.serve(r.Context(), r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() { _ = server.Serve(l) }() // until it is closed
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return nil
}

// serve one notice of a new pod.
func (a *agent) serve(ctx context.Context, r *http.Request) error {
	var pod wire.Pod
	if err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 4096)).Decode(&pod); err != nil {
		return err
	}
	if !pod.Address.Is4() || pod.UID == "" {
		return fmt.Errorf("no pod with an IPv4 address: %+v", pod)
	}
	if err := a.begin(ctx, pod); err != nil {
		return fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}

// begin with a new pod: its address is published, and the rules with it are in force.
func (a *agent) begin(ctx context.Context, pod wire.Pod) error {
	if err := a.awaitCache(ctx, pod); err != nil {
		return err
	}
	a.own.add(pod.UID, pod.Address)
	if err := a.publish(ctx); err != nil {
		// The others learn the address from the kubelet, a second later; this node need not wait.
		fmt.Fprintf(os.Stderr, "publishing the address of %s/%s: %v\n", pod.Namespace, pod.Name, err)
	}
	answer := make(chan error, 1)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case a.now <- answer:
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-answer:
		return err
	}
}

// awaitCache waits until the cache has a pod, since without its labels nobody knows its rules.
func (a *agent) awaitCache(ctx context.Context, pod wire.Pod) error {
	ctx, stop := context.WithTimeout(ctx, a.cacheTimeout)
	defer stop()
	for {
		var found corev1.Pod
		err := a.objects.Get(ctx, client.ObjectKey{Namespace: pod.Namespace, Name: pod.Name}, &found)
		if client.IgnoreNotFound(err) != nil {
			return err
		}
		if err == nil && found.UID == pod.UID {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it is not in the API server: %w", ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}
