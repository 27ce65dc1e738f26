// Package podlog reads the last lines of a container's log, which the clients of controller-runtime cannot do. In: a
// pod, a container and a number of lines. Out: text of at most maxBytes.
package podlog

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// maxBytes is the maximum size of the text, for any number of lines.
const maxBytes = 64 << 10

// Reader reads the last lines of a container, or of its previous instance.
type Reader func(ctx context.Context, namespace, pod, container string, previous bool, lines int64) (string, error)

// New prepares a Reader.
func New(config *rest.Config) (Reader, error) {
	config = rest.CopyConfig(config)
	config.APIPath = "/api"
	config.GroupVersion = &corev1.SchemeGroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	api, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("preparing to read logs: %w", err)
	}
	return func(ctx context.Context, namespace, pod, container string, previous bool, lines int64) (string, error) {
		options := &corev1.PodLogOptions{Container: container, Previous: previous, TailLines: &lines, LimitBytes: new(int64(maxBytes))}
		data, err := api.Get().Namespace(namespace).Resource("pods").Name(pod).SubResource("log").
			VersionedParams(options, scheme.ParameterCodec).Do(ctx).Raw()
		if err != nil {
			return "", fmt.Errorf("reading the log of pod %s: %w", pod, err)
		}
		return string(data), nil
	}, nil
}
