package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/client-go/kubernetes/scheme"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/assay-bench/assay/hack/policy-agent/wire"
)

const (
	// gather is how long changes are collected before the rules are made anew.
	gather = 20 * time.Millisecond
	// retry is the pause after an error.
	retry = 500 * time.Millisecond
)

func main() {
	log.SetLogger(logr.FromSlogHandler(slog.NewJSONHandler(os.Stderr, nil)))
	node := os.Getenv("NODE_NAME")
	if node == "" {
		fmt.Fprintln(os.Stderr, "NODE_NAME is empty: it has to be the name of this node")
		os.Exit(1)
	}
	// On a new node the API server cannot be reached before kube-proxy is up: soon, but the
	// kubelet would wait ten seconds and more with the next start.
	ctx := ctrl.SetupSignalHandler()
	for ctx.Err() == nil {
		if err := run(ctx, node); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		time.Sleep(retry)
	}
}

// run keeps the rules of a node up to date until the context ends.
func run(ctx context.Context, node string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	objects, err := cache.New(config, cache.Options{
		Scheme: scheme.Scheme, DefaultTransform: cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{&corev1.ConfigMap{}: {Namespaces: map[string]cache.Config{namespace: {}}}},
	})
	if err != nil {
		return err
	}
	api, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		return err
	}
	changed := make(chan struct{}, 1)
	if err := watch(ctx, objects, changed); err != nil {
		return err
	}
	go func() { _ = objects.Start(ctx) }() // it returns no error but that of the context
	if !objects.WaitForCacheSync(ctx) {
		return fmt.Errorf("the API server does not answer")
	}
	a := newAgent(node, objects, api, load)
	// What the agent before published may be out of date.
	if err := a.publish(ctx); err != nil {
		return err
	}
	if err := a.apply(ctx); err != nil {
		return err
	}
	if err := a.listen(ctx, wire.Socket); err != nil {
		return err
	}
	return a.follow(ctx, changed)
}

// watch sends on the channel when a pod, a namespace, a policy or an address changes.
func watch(ctx context.Context, objects cache.Cache, changed chan<- struct{}) error {
	tell := func() {
		select {
		case changed <- struct{}{}:
		default: // told already
		}
	}
	for _, kind := range []client.Object{&corev1.Pod{}, &corev1.Namespace{}, &networkingv1.NetworkPolicy{}, &corev1.ConfigMap{}} {
		informer, err := objects.GetInformer(ctx, kind, cache.BlockUntilSynced(false))
		if err != nil {
			return err
		}
		if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { tell() }, UpdateFunc: func(any, any) { tell() }, DeleteFunc: func(any) { tell() },
		}); err != nil {
			return err
		}
	}
	return nil
}

// load rules into the kernel, all of them at once.
func load(ctx context.Context, rules string) error {
	nft := exec.CommandContext(ctx, "nft", "-f", "-")
	nft.Stdin = strings.NewReader(rules)
	if out, err := nft.CombinedOutput(); err != nil {
		return fmt.Errorf("nft: %w: %s\n%s", err, out, rules)
	}
	return nil
}
