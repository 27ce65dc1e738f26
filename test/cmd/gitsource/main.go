// Command gitsource is a Git server with one repository, and what follows its branch for Flux, for
// the end-to-end test of GitOps (test/e2e). In: pushes to /git/REPOSITORY.git, served by Git's own
// http-backend. Out: for each commit of the branch a tarball under /artifacts, and the status of an
// ExternalArtifact that names it, by which Flux's kustomize-controller learns of the commit.
//
// An ExternalArtifact is what Flux has for sources that its source-controller does not know. The
// tests have no source-controller: a module that it needs, github.com/fluxcd/pkg/artifact, was not to
// be had where they were written.
//
// Whoever reaches it may push. It is for tests alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func main() {
	s := source{branch: "main"}
	var listen, namespace, name string
	flag.StringVar(&listen, "listen", ":8080", "address to listen at")
	flag.StringVar(&s.address, "address", "http://localhost:8080", "address that others reach it at")
	flag.StringVar(&s.folder, "folder", "/data", "empty folder for the repository and the artifacts")
	flag.StringVar(&s.repository, "repository", "benchmarks", "name of the repository")
	flag.StringVar(&namespace, "namespace", "default", "namespace of the ExternalArtifact")
	flag.StringVar(&name, "name", "benchmarks", "name of the ExternalArtifact")
	flag.Parse()
	if err := run(s, listen, client.ObjectKey{Namespace: namespace, Name: name}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(s source, listen string, key client.ObjectKey) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	api, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	server := &http.Server{Addr: listen, Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.ListenAndServe() }()
	last := ""
	for {
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
			return errors.Join(server.Close(), <-ended)
		case <-time.After(500 * time.Millisecond):
		}
		made, err := s.follow(ctx, last)
		if err == nil && made.revision != "" {
			err = publish(ctx, api, key, made)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "trying again:", err)
			continue
		}
		if made.revision != "" {
			last = made.commit
			fmt.Println("published", made.revision)
		}
	}
}

// externalArtifact is the kind of Flux.
var externalArtifact = schema.GroupVersionKind{Group: "source.toolkit.fluxcd.io", Version: "v1", Kind: "ExternalArtifact"}

// publish an artifact in the status of the ExternalArtifact, which exists.
func publish(ctx context.Context, api client.Client, key client.ObjectKey, made artifact) error {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(externalArtifact)
	if err := api.Get(ctx, key, object); err != nil {
		return fmt.Errorf("reading the ExternalArtifact: %w", err)
	}
	now := metav1.Now().UTC().Format(time.RFC3339)
	object.Object["status"] = map[string]any{
		"artifact": map[string]any{
			"revision": made.revision, "digest": made.digest, "url": made.url, "path": made.path, "lastUpdateTime": now, "size": made.size,
		},
		"conditions": []any{map[string]any{
			"type": "Ready", "status": "True", "reason": "Succeeded", "message": "stored artifact for " + made.revision,
			"lastTransitionTime": now, "observedGeneration": object.GetGeneration(),
		}},
	}
	if err := api.Status().Update(ctx, object); err != nil {
		return fmt.Errorf("writing the ExternalArtifact: %w", err)
	}
	return nil
}
