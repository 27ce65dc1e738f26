package accept

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// references are what the spec names, with the answers about it.
type references struct {
	Input
	ask *decision.Asking
}

// askReferences asks for all objects that the spec names, for the copies of an earlier pass, and
// for the bounds of the namespace, at once.
func (in Input) askReferences(w experiment.Work, ask *decision.Asking) {
	run := in.Run
	ask.Bounds()
	shape := func(ref *v1alpha1.ShapeRef) {
		if ref != nil && ref.Inline == nil {
			decision.Get[*v1alpha1.InstanceShape](ask, ref.Name)
		}
	}
	shape(&run.Spec.Clients.Shape)
	// What is wrong with the workload, resolveFiles says.
	if pods, err := w.Tool.PodsOf(w.Params); err == nil && pods.Files.ConfigMap != "" {
		ask.ConfigMap(pods.Files.ConfigMap)
		ask.ConfigMap(contract.InputsName(run.Name))
	}
	for _, t := range run.Spec.Targets {
		switch {
		case t.External != nil:
			decision.Get[*corev1.Secret](ask, t.External.Credentials.Name)
		case t.Published != nil:
			ask.ConfigMap(t.Published.ConfigMap.Name)
			ask.ConfigMap(contract.QuotedName(run.Name, t.Name))
		default:
			shape(t.Shape)
			for _, ref := range t.MySQL.ConfigFrom {
				ask.ConfigMap(ref.Name)
			}
		}
	}
}

// configMap that a field of the spec names.
func (in references) configMap(field, name string) (*corev1.ConfigMap, error) {
	cm := in.ask.ConfigMap(name)
	if excess := in.ask.Excess(name); excess.Exists {
		return nil, experiment.Refuse(v1alpha1.ReasonSpecTooLarge, "%s: the ConfigMaps that the spec names have more than %d bytes together, up to %q: name fewer, or smaller ones",
			field, excess.Value.Most, name)
	}
	if !cm.Exists {
		return nil, experiment.Refuse(v1alpha1.ReasonConfigMapNotFound, "%s: there is no ConfigMap %q in namespace %s: create it", field, name, in.Run.Namespace)
	}
	return cm.Value, nil
}

// shape that a field of the spec names.
func (in references) shape(field string, ref v1alpha1.ShapeRef) (v1alpha1.InstanceShapeSpec, error) {
	if ref.Inline != nil {
		return *ref.Inline.DeepCopy(), checkInline(field+".inline", *ref.Inline, in.Catalogue.Config.Shapes)
	}
	shape := decision.Get[*v1alpha1.InstanceShape](in.ask, ref.Name)
	if !shape.Exists {
		return v1alpha1.InstanceShapeSpec{}, experiment.Refuse(v1alpha1.ReasonShapeNotFound,
			"%s.name: there is no InstanceShape %q: create it (kubectl get instanceshapes lists those that exist), or give the shape inline", field, ref.Name)
	}
	return *shape.Value.Spec.DeepCopy(), nil
}
