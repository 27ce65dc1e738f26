package accept

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/experiment"
)

// withPages is a shape with so many huge pages of 2 MiB beside 256 MiB.
func withPages(count int32) v1alpha1.InstanceShapeSpec {
	return v1alpha1.InstanceShapeSpec{Memory: resource.MustParse("256Mi"), HugePages: &v1alpha1.HugePages{Count: count}}
}

func varied(name string, values ...string) v1alpha1.Axis {
	a := v1alpha1.Axis{Name: name}
	for _, v := range values {
		a.Values = append(a.Values, intstr.FromString(v))
	}
	return a
}

// Huge pages and large_pages come together, and the buffer pool fits into them.
func TestHugePagesAndLargePages(t *testing.T) {
	const alone = "spec.targets[0].shape: the shape has hugePages (512Mi), which the server leaves alone without large_pages: " +
		"set spec.targets[0].mysql.config.large_pages: ON, or use a shape without hugePages"
	const none = " is ON, and the shape of the target has no hugePages: give it some (spec.targets[0].shape, hugePages: {count: 512} for 1Gi in pages of 2Mi), or leave large_pages out"
	const larger = " is 1Gi (1073741824 bytes), and hugePages of spec.targets[0].shape are 512Mi (536870912 bytes): " +
		"raise hugePages.count, or lower the buffer pool, which needs some more than its size"
	tests := map[string]struct {
		flavor   string // MySQL unless set
		shape    v1alpha1.InstanceShapeSpec
		settings map[string]string
		matrix   []v1alpha1.Axis
		want     string // the refusal; empty for none
	}{
		"neither":                        {},
		"large_pages is off":             {settings: map[string]string{"large_pages": "OFF"}},
		"both":                           {shape: withPages(256), settings: map[string]string{"large_pages": "ON", "innodb_buffer_pool_size": "512M"}},
		"both, for MariaDB":              {flavor: "MariaDB", shape: withPages(256), settings: map[string]string{"large_pages": "1"}},
		"a switch without a value is on": {shape: withPages(256), settings: map[string]string{"large_pages": ""}},
		"a loose setting counts":         {shape: withPages(256), settings: map[string]string{"loose_large_pages": "ON"}},
		"with and without, as an axis":   {shape: withPages(256), matrix: []v1alpha1.Axis{varied("threads", "1", "2"), varied("config.large_pages", "OFF", "ON")}},
		"an axis that is never on":       {shape: withPages(256), matrix: []v1alpha1.Axis{varied("config.large_pages", "OFF")}, want: alone},
		"pages alone":                    {shape: withPages(256), want: alone},
		"pages, and large_pages is off":  {shape: withPages(256), settings: map[string]string{"large_pages": "OFF"}, want: alone},
		"large_pages alone":              {settings: map[string]string{"large_pages": "ON"}, want: "spec.targets[0].mysql.config.large_pages" + none},
		"an axis alone":                  {matrix: []v1alpha1.Axis{varied("config.large_pages", "OFF", "ON")}, want: "spec.matrix: config.large_pages" + none},
		"a pool that does not fit": {shape: withPages(256), settings: map[string]string{"large_pages": "ON", "innodb_buffer_pool_size": "1G"},
			want: "spec.targets[0].mysql.config.innodb_buffer_pool_size" + larger},
		"one of several pools that does not": {shape: withPages(256), settings: map[string]string{"large_pages": "ON"}, matrix: []v1alpha1.Axis{varied("config.innodb_buffer_pool_size", "256M", "1073741824")},
			want: "spec.matrix: config.innodb_buffer_pool_size" + larger},
		"a page that is large enough": {shape: v1alpha1.InstanceShapeSpec{HugePages: &v1alpha1.HugePages{PageSize: v1alpha1.HugePages1Gi, Count: 1}}, settings: map[string]string{"large_pages": "ON", "innodb_buffer_pool_size": "1G"}},
		"the pool of a server that was told none": {shape: withPages(32), settings: map[string]string{"large_pages": "ON"},
			want: "spec.targets[0].mysql.config.innodb_buffer_pool_size is 128Mi (134217728 bytes), and hugePages of spec.targets[0].shape are 64Mi (67108864 bytes): " +
				"raise hugePages.count, or lower the buffer pool, which needs some more than its size"},
		"a switch that skips it":                           {shape: withPages(256), settings: map[string]string{"skip_large_pages": ""}, want: alone},
		"one that disables it":                             {shape: withPages(256), settings: map[string]string{"loose_disable_large_pages": ""}, want: alone},
		"one that enables it":                              {settings: map[string]string{"enable_large_pages": ""}, want: "spec.targets[0].mysql.config.large_pages" + none},
		"a pool in huge pages alone is larger than memory": {shape: withPages(256), settings: map[string]string{"large_pages": "ON", "innodb_buffer_pool_size": "400M"}},
		"a pool that is in memory in some trials": {shape: withPages(256), settings: map[string]string{"innodb_buffer_pool_size": "400M"}, matrix: []v1alpha1.Axis{varied("config.large_pages", "OFF", "ON")},
			want: "spec.matrix: config.large_pages is not always ON, and without huge pages the buffer pool is in memory: " +
				"spec.targets[0].mysql.config.innodb_buffer_pool_size is 400Mi (419430400 bytes), and memory of spec.targets[0].shape is 256Mi (268435456 bytes): " +
				"raise memory, or lower the buffer pool, which needs some more than its size"},
		"a pool that fits into both":        {shape: withPages(256), settings: map[string]string{"innodb_buffer_pool_size": "200M"}, matrix: []v1alpha1.Axis{varied("config.large_pages", "OFF", "ON")}},
		"a flavor that has no such setting": {flavor: "Dolt", shape: withPages(256), want: "spec.targets[0].shape: the shape has hugePages (512Mi), and Dolt uses none (Dolt shows large_pages for compatibility, and ignores it): use a shape without hugePages"},
		"another one":                       {flavor: "TiDB", shape: withPages(256), want: "spec.targets[0].shape: the shape has hugePages (512Mi), and TiDB uses none (TiDB shows large_pages for compatibility, and ignores it): use a shape without hugePages"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.flavor == "" {
				tc.flavor = "MySQL"
			}
			e, known := engines.Find(tc.flavor)
			if !known {
				t.Fatalf("no engine %s", tc.flavor)
			}
			p := serverPages{field: "spec.targets[0]", engine: e, shape: tc.shape, matrix: tc.matrix}
			for setting, value := range tc.settings {
				p.settings = append(p.settings, v1alpha1.ServerSetting{Name: setting, Value: value})
			}
			refusalIs(t, p.check(), tc.want)
		})
	}
}

func TestClientsHaveNoHugePages(t *testing.T) {
	refusalIs(t, clientPages(withPages(256)), "spec.clients.shape: the shape has hugePages (512Mi), and no tool uses them: use a shape without hugePages")
	refusalIs(t, clientPages(v1alpha1.InstanceShapeSpec{}), "")
}

func refusalIs(t *testing.T, err error, want string) {
	t.Helper()
	var refused *experiment.Refusal
	switch {
	case want == "" && err == nil:
	case !errors.As(err, &refused):
		t.Errorf("got %v, want %q", err, want)
	case refused.Message != want:
		t.Errorf("got  %q\nwant %q", refused.Message, want)
	}
}

// A run is accepted with both, and its status pins them; it is refused with one of them.
func TestARunWithHugePages(t *testing.T) {
	const done = "done: 2 trials planned"
	pages := func(s *v1alpha1.BenchmarkRunSpec) {
		shape := s.Targets[0].Shape.Inline.DeepCopy()
		shape.HugePages = withPages(256).HugePages
		s.Targets[0].Shape = &v1alpha1.ShapeRef{Inline: shape}
	}
	large := func(s *v1alpha1.BenchmarkRunSpec) { s.Targets[0].MySQL.Config = map[string]string{"large_pages": "ON"} }
	ofClients := func(s *v1alpha1.BenchmarkRunSpec) {
		shape := s.Clients.Shape.Inline.DeepCopy()
		shape.HugePages = withPages(256).HugePages
		s.Clients.Shape = &v1alpha1.ShapeRef{Inline: shape}
	}
	for name, tc := range map[string]struct {
		given []change
		want  string
	}{
		"both":             {[]change{spec(pages), spec(large)}, done},
		"pages alone":      {[]change{spec(pages)}, "fail InvalidSpec: spec.targets[0].shape: the shape has hugePages (512Mi), which the server leaves alone"},
		"the other alone":  {[]change{spec(large)}, "fail SettingInvalid: spec.targets[0].mysql.config.large_pages is ON, and the shape of the target has no hugePages"},
		"pages of clients": {[]change{spec(ofClients)}, "fail InvalidSpec: spec.clients.shape: the shape has hugePages (512Mi)"},
	} {
		t.Run(name, func(t *testing.T) {
			got := newWorld(tc.given...).decide(t)
			if state := words(got.State); !strings.HasPrefix(state, tc.want) {
				t.Errorf("state %q, want %q", state, tc.want)
			}
			if tc.want != done {
				return
			}
			if r := got.Status.Resolved.Targets[0]; r.Shape.HugePages == nil || r.Shape.HugePages.Count != 256 {
				t.Errorf("the status pins %+v", r.Shape)
			}
		})
	}
}
