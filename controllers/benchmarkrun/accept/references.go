package accept

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/experiment/placement"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/validity"
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
	shape(run.Spec.Clients.Shape)
	if namesNoShape(run) {
		ask.Nodes()
	}
	// What is wrong with the workload, resolveFiles says.
	if pods, err := w.Tool.PodsOf(w.Params); err == nil && pods.Files.ConfigMap != "" {
		ask.ConfigMap(pods.Files.ConfigMap)
		ask.ConfigMap(contract.InputsName(run.Name))
	}
	for _, t := range run.Spec.Targets {
		switch {
		case t.External != nil:
			decision.Get[*corev1.Secret](ask, t.External.Credentials.Name)
			if ref := t.External.ServiceRef; ref != nil {
				ask.Behind(ref.Name)
			}
		case t.Published != nil:
			ask.ConfigMap(t.Published.ConfigMap.Name)
			ask.ConfigMap(contract.QuotedName(run.Name, t.Name))
		default:
			shape(t.Shape)
			for _, ref := range t.MySQL.ConfigFrom {
				ask.ConfigMap(ref.Name)
			}
			in.askRetained(t, ask)
			askSnapshots(t, ask)
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

// shape that a field of the spec names; without one, that which was chosen.
func (in references) shape(field string, ref *v1alpha1.ShapeRef, chosen v1alpha1.InstanceShapeSpec) (v1alpha1.InstanceShapeSpec, error) {
	switch {
	case ref == nil && in.Catalogue.Config.Shapes.Inline == config.InlineDeny:
		return chosen, experiment.Refuse(v1alpha1.ReasonShapeNotAllowed,
			"%s: a shape has to be named here (chart value shapes.inline): kubectl get instanceshapes lists them", field)
	case ref == nil:
		return chosen, nil
	case ref.Inline != nil:
		return *ref.Inline.DeepCopy(), checkInline(field+".inline", *ref.Inline, in.Catalogue.Config.Shapes)
	}
	shape := decision.Get[*v1alpha1.InstanceShape](in.ask, ref.Name)
	if !shape.Exists {
		return v1alpha1.InstanceShapeSpec{}, experiment.Refuse(v1alpha1.ReasonShapeNotFound,
			"%s.name: there is no InstanceShape %q: create it (kubectl get instanceshapes lists those that exist), or give the shape inline", field, ref.Name)
	}
	return *shape.Value.Spec.DeepCopy(), nil
}

// namesNoShape says whether a shape is to be chosen.
func namesNoShape(run *v1alpha1.BenchmarkRun) bool {
	return run.Spec.Clients.Shape == nil || slices.ContainsFunc(run.Provided(), func(t v1alpha1.Target) bool { return t.Shape == nil })
}

// chosenSizes for what names no shape; zero for a run that names all. The servers that others run are on the nodes that are held:
// where others are left, these are chosen by, and the clients are apart from those servers.
func (in references) chosenSizes(held []string) placement.Sizes {
	run := in.Run
	if !namesNoShape(run) {
		return placement.Sizes{}
	}
	servers := 0
	for _, t := range run.Provided() {
		if run.Spec.Design.IdleTargets == v1alpha1.IdleStopped {
			servers = max(servers, 1+run.Spec.FurtherServers(t))
		} else {
			servers += 1 + run.Spec.FurtherServers(t)
		}
	}
	agent := in.Catalogue.Config.Agent.Resources
	agents := v1alpha1.InstanceShapeSpec{CPU: agent.CPU, Memory: agent.Memory}
	nodes := in.ask.Nodes().Value
	left := slices.DeleteFunc(slices.Clone(nodes), func(n corev1.Node) bool { return slices.Contains(held, n.Name) })
	if sizes := placement.Automatic(left, servers, run.ClientCount(), agents); len(left) < len(nodes) && sizes.Client.Nodes == "" {
		sizes.Apart = sizes.Apart || servers == 0 && sizes.ClientsFit
		return sizes
	}
	return placement.Automatic(nodes, servers, run.ClientCount(), agents)
}

// separation of clients and targets: what the spec says, or what the nodes allow where all shapes are chosen by them.
func separation(run *v1alpha1.BenchmarkRun, sizes placement.Sizes) v1alpha1.Separation {
	asked := run.Spec.Clients.Placement.SeparateFromTargets
	named := func(t v1alpha1.Target) bool { return t.Shape != nil || t.Replicas() > 0 }
	switch {
	case asked != "":
		return asked
	case sizes.Apart && !slices.ContainsFunc(run.Provided(), named):
		return v1alpha1.SeparationRequired
	}
	return v1alpha1.SeparationNone
}

// shapesChosen is the finding about them.
func shapesChosen(run *v1alpha1.BenchmarkRun, r v1alpha1.Resolved, why string) []v1alpha1.Finding {
	if !namesNoShape(run) {
		return nil
	}
	var parts []string
	text := func(s v1alpha1.InstanceShapeSpec) string {
		return fmt.Sprintf("cpu %s and memory %s", s.CPU.String(), s.Memory.String())
	}
	for _, t := range run.Provided() {
		if i := slices.IndexFunc(r.Targets, func(one v1alpha1.ResolvedTarget) bool { return one.Name == t.Name }); t.Shape == nil && i >= 0 {
			parts = append(parts, "target "+t.Name+" has "+text(*r.Targets[i].Shape))
		}
	}
	if run.Spec.Clients.Shape == nil {
		parts = append(parts, "each client has "+text(r.ClientShape))
	}
	if run.Spec.Clients.Placement.SeparateFromTargets == "" && r.SeparateFromTargets == v1alpha1.SeparationRequired {
		why += ", with clients apart from targets"
	}
	return []v1alpha1.Finding{{Check: "shapes-chosen", Severity: string(validity.Note), Message: fmt.Sprintf("no shape is named: %s (%s)", strings.Join(parts, ", "), why)}}
}
