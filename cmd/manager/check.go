package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// checkMain is `manager check`, which helm test runs: it tries again until the manager is ready and all
// kinds are served, or until the time is over. It returns the exit code.
func checkMain(args []string) int {
	flags := flag.NewFlagSet("check", flag.ExitOnError)
	ready := flags.String("ready", "", "URL that a ready manager answers with 200")
	timeout := flags.Duration("timeout", time.Minute, "how long to try")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAILED: finding the cluster:", err)
		return 1
	}
	ctx, cancel := context.WithTimeout(ctrl.SetupSignalHandler(), *timeout)
	defer cancel()
	if err := checkUntil(ctx, config, *ready, time.Second); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		return 1
	}
	fmt.Println("the manager is ready, and the API server serves", strings.Join(kinds(), ", "))
	return 0
}

// checkUntil tries until both are as they should be; the error is that of the last attempt.
func checkUntil(ctx context.Context, config *rest.Config, ready string, pause time.Duration) error {
	var last error
	_ = wait.PollUntilContextCancel(ctx, pause, true, func(ctx context.Context) (bool, error) {
		last = errors.Join(checkReady(ctx, ready), checkKinds(config))
		return last == nil, nil
	})
	return last
}

// checkReady asks a manager whether it is ready.
func checkReady(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("asking the manager: %w", err)
	}
	// Each try is a connection of its own: the address of a Service that has just been made may lead elsewhere at first, and a
	// connection that is kept would lead there until the end.
	each := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := each.Do(request)
	if err != nil {
		return fmt.Errorf("asking the manager: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1024))
	if err != nil {
		return fmt.Errorf("reading what the manager at %s answers: %w", url, err)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the manager at %s answers %d: %s", url, answer.StatusCode, text)
	}
	return nil
}

// checkKinds asks the API server whether it serves every kind of Assay.
func checkKinds(config *rest.Config) error {
	config = rest.CopyConfig(config)
	config.Timeout = 5 * time.Second
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return fmt.Errorf("asking the API server: %w", err)
	}
	list, err := client.ServerResourcesForGroupVersion(v1alpha1.GroupVersion.String())
	if err != nil {
		return fmt.Errorf("asking the API server for %s: %w", v1alpha1.GroupVersion, err)
	}
	served := map[string]bool{}
	for _, r := range list.APIResources {
		served[r.Kind] = true
	}
	missing := slices.DeleteFunc(kinds(), func(kind string) bool { return served[kind] })
	if len(missing) > 0 {
		return fmt.Errorf("the API server does not serve %s: are the CRDs those of this release?", strings.Join(missing, ", "))
	}
	return nil
}

// kinds of Assay, sorted.
func kinds() []string {
	scheme, err := newScheme()
	if err != nil {
		return nil
	}
	types := scheme.KnownTypes(v1alpha1.GroupVersion)
	maps.DeleteFunc(types, func(_ string, of reflect.Type) bool {
		_, isObject := reflect.New(of).Interface().(metav1.Object)
		return !isObject || of.PkgPath() != reflect.TypeFor[v1alpha1.BenchmarkRun]().PkgPath()
	})
	return slices.Sorted(maps.Keys(types))
}
