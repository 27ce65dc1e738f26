package accept

import (
	"maps"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/config"
)

// checkInline refuses what a shape inside of a run may not do by the operator's configuration.
// Tolerations, runtime classes and annotations reach past the run: to nodes that are reserved
// for others, and to programs that run outside of the pod. An InstanceShape may have all of
// them.
func checkInline(field string, shape v1alpha1.InstanceShapeSpec, rules config.Shapes) error {
	not := func(path, what, value string) error {
		return experiment.Refuse(v1alpha1.ReasonShapeNotAllowed,
			"%s: inline shapes may not have the %s %q: name an InstanceShape that has it, leave it out, or ask an administrator to allow it (chart value shapes.%s)",
			field, what, value, path)
	}
	if rules.Inline == config.InlineDeny {
		return experiment.Refuse(v1alpha1.ReasonShapeNotAllowed,
			"%s: inline shapes are not allowed here (chart value shapes.inline): name an InstanceShape (kubectl get instanceshapes lists them)", field)
	}
	for _, name := range slices.Sorted(maps.Keys(shape.Annotations)) {
		if !config.Allows(rules.AllowedAnnotations, name) {
			return not("allowedAnnotations", "annotation", name)
		}
	}
	for _, t := range shape.Tolerations {
		if !config.Allows(rules.AllowedTolerations, t.Key) {
			return not("allowedTolerations", "toleration of", t.Key)
		}
	}
	if class := shape.RuntimeClassName; class != nil && !config.Allows(rules.AllowedRuntimeClasses, *class) {
		return not("allowedRuntimeClasses", "runtimeClassName", *class)
	}
	return nil
}
