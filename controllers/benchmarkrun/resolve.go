package benchmarkrun

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// resolve looks up every reference of the spec. What has to stay as it is now, and is
// too large for the status, is copied into ConfigMaps of the run.
func (r *Reconciler) resolve(ctx context.Context, s *scope) (*v1alpha1.Resolved, error) {
	spec := s.run.Spec
	images, err := r.runnerImages(s)
	if err != nil {
		return nil, err
	}
	shape, err := r.resolveShape(ctx, "spec.clients.shape", spec.Clients.Shape)
	if err != nil {
		return nil, err
	}
	out := &v1alpha1.Resolved{ClientShape: *shape, AgentImage: r.Config.Agent.Image, RunnerImage: images[0].Image}
	if len(images) > 1 {
		out.RunnerImages = images
	}
	if out.Inputs, err = r.resolveInputs(ctx, s); err != nil {
		return nil, err
	}
	for i, t := range spec.Targets {
		s.targetStatus(t.Name) // in the order of the spec
		rt, err := r.resolveTarget(ctx, s, fmt.Sprintf("spec.targets[%d]", i), t)
		if err != nil {
			return nil, err
		}
		out.Targets = append(out.Targets, rt)
	}
	return out, nil
}

func (r *Reconciler) resolveTarget(ctx context.Context, s *scope, field string, t v1alpha1.Target) (v1alpha1.ResolvedTarget, error) {
	switch {
	case t.External != nil:
		return v1alpha1.ResolvedTarget{Name: t.Name}, r.checkExternal(ctx, s, field+".external", t.External)
	case t.Published != nil:
		return r.resolvePublished(ctx, s, field+".published", t)
	}
	return r.resolveServer(ctx, s, field, t)
}

// runnerImages of the client pods: the user's own, or those of the catalogue, one for each
// name that the cells of the plan ask for.
func (r *Reconciler) runnerImages(s *scope) ([]v1alpha1.RunnerImage, error) {
	var out []v1alpha1.RunnerImage
	for _, cell := range s.plan.Cells {
		workload, err := s.cellWorkload(cell)
		if err != nil {
			return nil, refuse(v1alpha1.ReasonInvalidSpec, "%v", err)
		}
		pods, err := s.runner.PodsOf(workload)
		if err != nil {
			return nil, refuse(v1alpha1.ReasonInvalidSpec, "spec.%v", err)
		}
		if pods.Image != "" {
			return []v1alpha1.RunnerImage{{Name: s.runner.Name, Image: pods.Image}}, nil
		}
		name := s.imageName(pods)
		if slices.ContainsFunc(out, func(i v1alpha1.RunnerImage) bool { return i.Name == name }) {
			continue
		}
		image, ok := r.Config.Runners[name]
		if !ok {
			return nil, refuse(v1alpha1.ReasonInvalidSpec,
				"spec.workload.%s: the operator's configuration has no image for this runner (chart value runners.%s.image)", s.runner.Name, name)
		}
		out = append(out, v1alpha1.RunnerImage{Name: name, Image: image.Image})
	}
	return out, nil
}

// imageName of the clients in the catalogue.
func (s *scope) imageName(pods runner.Pods) string {
	if pods.Variant == "" {
		return s.runner.Name
	}
	return s.runner.Name + "-" + pods.Variant
}

// runnerImage of the clients that do a workload: never that of another language, whose
// harness would refuse its drivers one by one.
func (s *scope) runnerImage(workload json.RawMessage) (string, runner.Pods, error) {
	resolved := s.run.Status.Resolved
	pods, err := s.runner.PodsOf(workload)
	if err != nil || len(resolved.RunnerImages) == 0 {
		return resolved.RunnerImage, pods, err
	}
	name := s.imageName(pods)
	for _, i := range resolved.RunnerImages {
		if i.Name == name {
			return i.Image, pods, nil
		}
	}
	return "", pods, fmt.Errorf("status.resolved.runnerImages has no image %q", name)
}

func (r *Reconciler) resolveShape(ctx context.Context, field string, ref v1alpha1.ShapeRef) (*v1alpha1.InstanceShapeSpec, error) {
	if ref.Inline != nil {
		return ref.Inline.DeepCopy(), nil
	}
	shape := &v1alpha1.InstanceShape{}
	err := r.Live.Get(ctx, types.NamespacedName{Name: ref.Name}, shape)
	if apierrors.IsNotFound(err) {
		return nil, refuse(v1alpha1.ReasonShapeNotFound,
			"%s.name: there is no InstanceShape %q: create it (kubectl get instanceshapes lists those that exist), or give the shape inline", field, ref.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("reading InstanceShape %s: %w", ref.Name, err)
	}
	return &shape.Spec, nil
}

// configMap reads a ConfigMap that a field of the spec names.
func (r *Reconciler) configMap(ctx context.Context, s *scope, field, name string) (*corev1.ConfigMap, error) {
	cm := &corev1.ConfigMap{}
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: s.run.Namespace, Name: name}, cm)
	if apierrors.IsNotFound(err) {
		return nil, refuse(v1alpha1.ReasonConfigMapNotFound, "%s: there is no ConfigMap %q in namespace %s: create it", field, name, s.run.Namespace)
	}
	if err != nil {
		return nil, fmt.Errorf("reading ConfigMap %s: %w", name, err)
	}
	return cm, nil
}

// externalAddress is where clients connect to.
func externalAddress(e *v1alpha1.ExternalTarget) string {
	if e.JDBC != nil {
		return e.JDBC.URL
	}
	return fmt.Sprintf("%s:%d", e.Host, e.Port)
}

// checkExternal makes sure that the tool can reach an external target, and that the
// target's Secret has what the tool needs.
func (r *Reconciler) checkExternal(ctx context.Context, s *scope, field string, e *v1alpha1.ExternalTarget) error {
	if e.JDBC != nil && !s.runner.JDBC {
		return refuse(v1alpha1.ReasonInvalidSpec, "%s.jdbc: %s does not speak JDBC: use the workload ycsb, or give the host of a server of the MySQL family",
			field, s.runner.Name)
	}
	secret := &corev1.Secret{}
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: s.run.Namespace, Name: e.Credentials.Name}, secret)
	if apierrors.IsNotFound(err) {
		return refuse(v1alpha1.ReasonSecretNotFound, "%s.credentials: there is no Secret %q in namespace %s: create it with the keys username and password",
			field, e.Credentials.Name, s.run.Namespace)
	}
	if err != nil {
		return fmt.Errorf("reading Secret %s: %w", e.Credentials.Name, err)
	}
	keys := []string{contract.KeyUsername, contract.KeyPassword}
	if e.TLS == v1alpha1.TLSRequired && s.runner.NeedsCertificate {
		keys = append(keys, contract.KeyCA, contract.KeyCert, contract.KeyKey)
	}
	for _, k := range keys {
		if len(secret.Data[k]) == 0 {
			return refuse(v1alpha1.ReasonSecretIncomplete, "%s.credentials: Secret %q lacks the key %q (needed: %v)", field, e.Credentials.Name, k, keys)
		}
	}
	return nil
}
