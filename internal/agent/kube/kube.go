// Package kube is the client agent's access to the API: a few ConfigMaps of one namespace,
// with the pod's own ServiceAccount. It uses only the REST client and the core types of
// client-go, which keeps the agent small.
package kube

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/assay-bench/assay/internal/agent/client"
)

const (
	// requestTime is the timeout of one request, so that a request to a lost server is
	// repeated.
	requestTime = 15 * time.Second
	// perSecond allows polling every 200 ms, with room.
	perSecond = 20
)

// ConfigMaps of one namespace. It implements client.API.
type ConfigMaps struct {
	rest       rest.Interface
	parameters runtime.ParameterCodec
	namespace  string
}

// InCluster uses the address, the CA and the token in every pod.
func InCluster(namespace string) (*ConfigMaps, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the API server: %w", err)
	}
	return New(config, namespace)
}

// New uses the given way to an API server.
func New(config *rest.Config, namespace string) (*ConfigMaps, error) {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(corev1.SchemeGroupVersion, &corev1.ConfigMap{}, &corev1.ConfigMapList{}, &corev1.Secret{})
	metav1.AddToGroupVersion(scheme, corev1.SchemeGroupVersion)
	config = rest.CopyConfig(config)
	config.APIPath = "/api"
	config.GroupVersion = &corev1.SchemeGroupVersion
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	config.QPS, config.Burst = perSecond, perSecond
	c, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("preparing the API client: %w", err)
	}
	return &ConfigMaps{rest: c, parameters: runtime.NewParameterCodec(scheme), namespace: namespace}, nil
}

// Get reads a ConfigMap.
func (c *ConfigMaps) Get(ctx context.Context, name string) (client.ConfigMap, error) {
	var cm corev1.ConfigMap
	if err := c.read(ctx, "configmaps", name, &cm); err != nil {
		return client.ConfigMap{}, fmt.Errorf("reading ConfigMap %s: %w", name, err)
	}
	return view(&cm), nil
}

func (c *ConfigMaps) read(ctx context.Context, resource, name string, into runtime.Object) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	return c.rest.Get().Namespace(c.namespace).Resource(resource).Name(name).Do(ctx).Into(into)
}

// Secret reads a Secret.
func (c *ConfigMaps) Secret(ctx context.Context, name string) (map[string][]byte, error) {
	var secret corev1.Secret
	if err := c.read(ctx, "secrets", name, &secret); err != nil {
		return nil, fmt.Errorf("reading Secret %s: %w", name, err)
	}
	return secret.Data, nil
}

func view(cm *corev1.ConfigMap) client.ConfigMap {
	return client.ConfigMap{ResourceVersion: cm.ResourceVersion, Annotations: cm.Annotations, Data: cm.Data, BinaryData: cm.BinaryData}
}

// Follow calls show with each version of a ConfigMap after the given one, until show returns
// true, the context ends, or the watch breaks.
func (c *ConfigMaps) Follow(ctx context.Context, name, resourceVersion string, show func(client.ConfigMap) bool) error {
	w, err := c.rest.Get().Namespace(c.namespace).Resource("configmaps").VersionedParams(&metav1.ListOptions{
		Watch: true, ResourceVersion: resourceVersion, FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String(),
	}, c.parameters).Watch(ctx)
	if err != nil {
		return fmt.Errorf("watching ConfigMap %s: %w", name, err)
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		if event.Type == watch.Error {
			return fmt.Errorf("watching ConfigMap %s: %w", name, apierrors.FromObject(event.Object))
		}
		cm, ok := event.Object.(*corev1.ConfigMap)
		if ok && show(view(cm)) {
			return nil
		}
	}
	return errors.New("the watch ended")
}

// Patch merges a patch into a ConfigMap. A permanent error is marked with client.ErrRefused,
// also that of a deleted ConfigMap, which existed before the client.
func (c *ConfigMaps) Patch(ctx context.Context, name string, patch []byte) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	err := c.rest.Patch(types.MergePatchType).Namespace(c.namespace).Resource("configmaps").Name(name).Body(patch).Do(ctx).Error()
	switch {
	case apierrors.IsRequestEntityTooLargeError(err), apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsNotFound(err):
		return fmt.Errorf("writing ConfigMap %s: %w: %w", name, client.ErrRefused, err)
	case err != nil:
		return fmt.Errorf("writing ConfigMap %s: %w", name, err)
	}
	return nil
}
