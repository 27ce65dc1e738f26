package accept

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/config"
)

// What a shape inside of a run may do is the administrator's decision; it holds for the shapes
// of clients and of targets.
func TestInlineShapes(t *testing.T) {
	all := config.Shapes{Inline: config.InlineAllow, AllowedAnnotations: []string{"cpu.example/*"}, AllowedTolerations: []string{"bench"}, AllowedRuntimeClasses: []string{"fast"}}
	annotated := func(s *v1alpha1.InstanceShapeSpec) {
		s.Annotations = map[string]string{"cpu.example/x": "1", "a.example/y": "2"}
	}
	tests := map[string]struct {
		change func(*v1alpha1.InstanceShapeSpec)
		rules  config.Shapes
		// want is in the refusal, after the field; empty when the shape is accepted.
		want string
	}{
		"cpu, memory and nodes":            {func(s *v1alpha1.InstanceShapeSpec) { s.NodeSelector = map[string]string{"a": "b"} }, config.Default().Shapes, ""},
		"no inline shapes at all":          {func(*v1alpha1.InstanceShapeSpec) {}, config.Shapes{Inline: config.InlineDeny}, "inline shapes are not allowed here (chart value shapes.inline)"},
		"an annotation":                    {annotated, config.Default().Shapes, `annotation "a.example/y"`},
		"an annotation beside one allowed": {annotated, all, `annotation "a.example/y"`},
		"an allowed annotation":            {func(s *v1alpha1.InstanceShapeSpec) { s.Annotations = map[string]string{"cpu.example/x": "1"} }, all, ""},
		"a toleration":                     {func(s *v1alpha1.InstanceShapeSpec) { s.Tolerations = []corev1.Toleration{{Key: "bench"}} }, config.Default().Shapes, `toleration of "bench"`},
		"a toleration of everything": {func(s *v1alpha1.InstanceShapeSpec) {
			s.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
		}, all, `toleration of ""`},
		"an allowed toleration":    {func(s *v1alpha1.InstanceShapeSpec) { s.Tolerations = []corev1.Toleration{{Key: "bench"}} }, all, ""},
		"a runtime class":          {func(s *v1alpha1.InstanceShapeSpec) { s.RuntimeClassName = new("fast") }, config.Default().Shapes, `runtimeClassName "fast"`},
		"an allowed runtime class": {func(s *v1alpha1.InstanceShapeSpec) { s.RuntimeClassName = new("fast") }, all, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for field, of := range map[string]func(*v1alpha1.BenchmarkRunSpec) *v1alpha1.ShapeRef{
				"spec.clients.shape.inline":    func(s *v1alpha1.BenchmarkRunSpec) *v1alpha1.ShapeRef { return s.Clients.Shape },
				"spec.targets[0].shape.inline": func(s *v1alpha1.BenchmarkRunSpec) *v1alpha1.ShapeRef { return s.Targets[0].Shape },
			} {
				w := newWorld(spec(func(s *v1alpha1.BenchmarkRunSpec) {
					named := v1alpha1.ShapeRef{Name: "named"}
					tested := of(s).Inline.DeepCopy()
					tt.change(tested)
					s.Clients.Shape, s.Targets[0].Shape = named.DeepCopy(), named.DeepCopy()
					of(s).Name, of(s).Inline = "", tested
				}), shapeWithAll)
				w.in.Catalogue.Config.Shapes = tt.rules
				state := words(w.decide(t).State)
				refused := strings.HasPrefix(state, "fail ShapeNotAllowed: "+field+": ") && strings.Contains(state, tt.want)
				if tt.want == "" && !strings.HasPrefix(state, "done") || tt.want != "" && !refused {
					t.Errorf("%s: %s; want %q", field, state, tt.want)
				}
			}
		})
	}
}

// shapeWithAll is the InstanceShape "named", with everything that inline shapes may not have.
func shapeWithAll(w *world) {
	w.objects[decision.Named[*v1alpha1.InstanceShape]("named")] = &v1alpha1.InstanceShape{Spec: v1alpha1.InstanceShapeSpec{
		CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi"), Annotations: map[string]string{"a.example/y": "2"},
		Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}}, RuntimeClassName: new("fast"),
	}}
}
