package accept

import (
	"cmp"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/settings"
)

const (
	largePages = "large_pages"
	bufferPool = "innodb_buffer_pool_size"
	// stockPool is the buffer pool of a server whose settings name none, in bytes.
	stockPool = "134217728"
)

// clientPages refuses huge pages of clients.
func clientPages(shape v1alpha1.InstanceShapeSpec) error {
	if shape.HugePages == nil {
		return nil
	}
	size := shape.HugePages.Size()
	return experiment.Refuse(v1alpha1.ReasonInvalidSpec, "spec.clients.shape: the shape has hugePages (%s), and no tool uses them: use a shape without hugePages", size.String())
}

// serverPages are the huge pages of a target, and the settings that have to be as they are.
type serverPages struct {
	// field of the target in the spec.
	field    string
	engine   engine.Engine
	shape    v1alpha1.InstanceShapeSpec
	settings []v1alpha1.ServerSetting
	matrix   []v1alpha1.Axis
}

// check refuses huge pages that no server uses, a server that looks for some and has none, and a buffer pool that does not fit into them.
// A server without enough of them says nothing to its clients: it goes on with ordinary pages, or dies of SIGBUS where the limit of its
// container is reached.
func (p serverPages) check() error {
	uses := slices.ContainsFunc(p.values(largePages), func(value string) bool { return settings.SameValue(largePages, value, "ON") })
	if p.shape.HugePages == nil && uses {
		return experiment.Refuse(v1alpha1.ReasonSettingInvalid, "%s is ON, and the shape of the target has no hugePages: give it some (%s.shape, hugePages: {count: 512} for 1Gi in pages of 2Mi), or leave %s out",
			p.of(largePages), p.field, largePages)
	}
	if p.shape.HugePages == nil {
		return nil
	}
	size := p.shape.HugePages.Size()
	if why, lacks := p.engine.Facts.Lacks[engine.HugePages]; lacks {
		return experiment.Refuse(v1alpha1.ReasonInvalidSpec, "%s.shape: the shape has hugePages (%s), and %s uses none (%s): use a shape without hugePages",
			p.field, size.String(), p.engine.Flavor, why)
	}
	if !uses {
		return experiment.Refuse(v1alpha1.ReasonInvalidSpec, "%s.shape: the shape has hugePages (%s), which the server leaves alone without %s: set %s.mysql.config.%s: ON, or use a shape without hugePages",
			p.field, size.String(), largePages, p.field, largePages)
	}
	pools := p.values(bufferPool)
	if pools == nil {
		pools = []string{stockPool}
	}
	for _, value := range pools {
		if bytes, is := settings.Integer(value); is && bytes > size.Value() {
			return experiment.Refuse(v1alpha1.ReasonSettingInvalid, "%s is %s (%d bytes), and hugePages of %s.shape are %s (%d bytes): raise hugePages.count, or lower the buffer pool, which needs some more than its size",
				p.of(bufferPool), value, bytes, p.field, size.String(), size.Value())
		}
	}
	return nil
}

// values of a setting in the trials of the target; none where nothing sets it.
func (p serverPages) values(name string) (out []string) {
	if i := p.axis(name); i >= 0 {
		for _, v := range p.matrix[i].Values {
			out = append(out, v.String())
		}
		return out
	}
	for _, s := range p.settings {
		if engine.Bare(s.Name) == name {
			// Without a value a switch is on.
			out = append(out, cmp.Or(s.Value, "ON"))
		}
	}
	return out
}

func (p serverPages) axis(name string) int {
	return slices.IndexFunc(p.matrix, func(a v1alpha1.Axis) bool {
		varied, is := a.Setting()
		return is && varied == name
	})
}

// of is the field that sets a setting.
func (p serverPages) of(name string) string {
	if i := p.axis(name); i >= 0 {
		return "spec.matrix: config." + name
	}
	return p.field + ".mysql.config." + name
}
