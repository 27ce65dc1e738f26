package ui

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/record/bundle"
)

// bundles are read as a cluster that has the runs of some files, and nothing else.
type bundles struct {
	all  []*bundle.Bundle
	runs []*v1alpha1.BenchmarkRun
}

// openBundles at paths. It fails for two of one run: pages find a run by its name.
func openBundles(ctx context.Context, paths []string) (_ *bundles, err error) {
	out, known := &bundles{}, map[client.ObjectKey]string{}
	defer func() {
		if err != nil {
			err = errors.Join(err, out.Close())
		}
	}()
	for _, path := range paths {
		if !bundle.IsPath(path) {
			return nil, fmt.Errorf("%s is no bundle, whose name ends in %s: without bundles, the pages have the runs of the cluster", path, bundle.Extension)
		}
		b, err := bundle.Open(path)
		if err != nil {
			return nil, err
		}
		out.all = append(out.all, b)
		run, err := b.Run(ctx)
		if err != nil {
			return nil, err
		}
		key := client.ObjectKeyFromObject(run)
		if other := known[key]; other != "" {
			return nil, fmt.Errorf("%s and %s both are run %s: name one of them", other, path, key)
		}
		known[key], out.runs = path, append(out.runs, run)
	}
	return out, nil
}

// Close the files.
func (b *bundles) Close() (err error) {
	for _, one := range b.all {
		err = errors.Join(err, one.Close())
	}
	return err
}

// Get a run, or a ConfigMap of one.
func (b *bundles) Get(ctx context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	for i, run := range b.runs {
		switch to := obj.(type) {
		case *v1alpha1.BenchmarkRun:
			if client.ObjectKeyFromObject(run) == key {
				run.DeepCopyInto(to)
				return nil
			}
		case *corev1.ConfigMap:
			if run.Namespace != key.Namespace {
				continue
			}
			switch cm, err := b.all[i].ConfigMap(ctx, key.Name); {
			case err != nil:
				return err
			case cm != nil:
				cm.DeepCopyInto(to)
				return nil
			}
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: fmt.Sprintf("%T", obj)}, key.Name)
}

// List the runs of a namespace, or of all; of anything else there is nothing.
func (b *bundles) List(_ context.Context, list client.ObjectList, options ...client.ListOption) error {
	to, ok := list.(*v1alpha1.BenchmarkRunList)
	if !ok {
		return nil
	}
	var of client.ListOptions
	of.ApplyOptions(options)
	for _, run := range b.runs {
		if of.Namespace == "" || of.Namespace == run.Namespace {
			to.Items = append(to.Items, *run.DeepCopy())
		}
	}
	return nil
}
