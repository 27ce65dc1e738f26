package kubelet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// storing is a client that has something for the object store.
type storing struct {
	pod   *corev1.Pod
	out   *corev1.ConfigMap
	res   contract.Result
	trial contract.Trial
}

// deliverStored does what the agent does with an object store: the numbers go into the
// ConfigMap, the raw output and a large result to the store, and then the pod ends.
func (k *Kubelet) deliverStored(ctx context.Context, s storing) error {
	raw := []byte("raw")
	whole, err := contract.Encode(s.res)
	if err != nil {
		return err
	}
	objects, contents := []contract.Object{}, [][]byte{}
	add := func(name string, data []byte) contract.Object {
		o := contract.Object{Name: name, SHA256: contract.Digest(data), Bytes: int64(len(data))}
		objects, contents = append(objects, o), append(contents, data)
		return o
	}
	gz := whole
	if int64(len(whole)) > s.trial.Store.OverBytes {
		small := s.res
		small.Whole = new(add(contract.KeyResult, whole))
		small.Measurements = nil
		for _, m := range s.res.Measurements {
			m.Histogram, m.Intervals = nil, nil
			small.Measurements = append(small.Measurements, m)
		}
		if gz, err = contract.Encode(small); err != nil {
			return err
		}
	}
	add(contract.KeyRaw, raw)
	before := s.out.DeepCopy()
	s.out.BinaryData = map[string][]byte{contract.KeyResult: gz}
	metav1.SetMetaDataAnnotation(&s.out.ObjectMeta, contract.AnnotationUploads, contract.EncodeUploads(objects))
	if err := k.API.Patch(ctx, s.out, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return err
	}
	told := contract.Termination{Version: contract.TerminationVersion, SHA256: contract.Digest(gz), State: s.res.State}
	if s.res.Failure != nil {
		told.Reason, told.Message = s.res.Failure.Reason, s.res.Failure.Message
	}
	until, cancel := context.WithTimeout(ctx, time.Duration(s.trial.Store.UploadSeconds)*time.Second)
	defer cancel()
	if err := k.upload(until, s, objects, contents); err != nil {
		told.NotUploaded = err.Error()
	}
	terminated := &corev1.ContainerStateTerminated{Reason: "Completed", FinishedAt: metav1.Now(), Message: string(told.Encode())}
	if s.res.State != contract.Succeeded {
		terminated.ExitCode, terminated.Reason = 1, "Error"
	}
	return k.conclude(ctx, s.pod, s.out, terminated)
}

// upload what the manager signed for, until the context ends.
func (k *Kubelet) upload(ctx context.Context, s storing, objects []contract.Object, contents [][]byte) error {
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: k.Namespace, Name: contract.UploadName(strings.TrimSuffix(s.out.Name, fmt.Sprintf("-result-%d", s.trial.Ref.Client)), s.trial.Ref.Client)}
	for k.API.Get(ctx, key, secret) != nil {
		select {
		case <-ctx.Done():
			return fmt.Errorf("no signed URLs: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
	offer, err := contract.ParseOffer(secret.Data[contract.KeyOffer], objects)
	if err != nil {
		return err
	}
	for i, o := range offer.Objects {
		for err = k.put(ctx, o, contents[i]); err != nil; err = k.put(ctx, o, contents[i]) {
			select {
			case <-ctx.Done():
				return err
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	return nil
}

func (k *Kubelet) put(ctx context.Context, o contract.OfferedObject, content []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, o.URL, bytes.NewReader(content))
	if err != nil {
		return err
	}
	for name, value := range o.Headers {
		req.Header.Set(name, value)
	}
	res, err := k.Store.Do(req)
	var about *url.Error
	if errors.As(err, &about) {
		return about.Err // without the signature
	}
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusPreconditionFailed {
		return fmt.Errorf("the store answers %s", res.Status)
	}
	return nil
}
