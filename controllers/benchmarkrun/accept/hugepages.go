package accept

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/ground/settings"
)

const (
	largePages = "large_pages"
	bufferPool = "innodb_buffer_pool_size"
	// stockPool is the buffer pool of a server whose settings name none, in bytes.
	stockPool int64 = 128 << 20
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

// check refuses huge pages that no server uses, a server that looks for some and has none, a buffer pool that does not fit into them, and one
// that does not fit into memory in the trials that use none. A server without enough of them says nothing to its clients: it goes on with ordinary pages, or dies of SIGBUS where the limit of its
// container is reached.
func (p serverPages) check() error {
	var uses, leaves bool // in some trials
	for _, value := range p.values(largePages) {
		on := settings.SameValue(largePages, value, "ON")
		uses, leaves = uses || on, leaves || !on
	}
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
	for _, pool := range p.pools() {
		if pool > size.Value() {
			return experiment.Refuse(v1alpha1.ReasonSettingInvalid, "%s is %s, and hugePages of %s.shape are %s: raise hugePages.count, or lower the buffer pool, which needs some more than its size",
				p.of(bufferPool), inBytes(pool), p.field, inBytes(size.Value()))
		}
		if memory := p.shape.Memory.Value(); leaves && pool > memory {
			return experiment.Refuse(v1alpha1.ReasonSettingInvalid, "%s is not always ON, and without huge pages the buffer pool is in memory: %s is %s, and memory of %s.shape is %s: "+
				"raise memory, or lower the buffer pool, which needs some more than its size", p.of(largePages), p.of(bufferPool), inBytes(pool), p.field, inBytes(memory))
		}
	}
	return nil
}

// inBytes is a size as people write it, with the bytes.
func inBytes(n int64) string {
	return fmt.Sprintf("%s (%d bytes)", resource.NewQuantity(n, resource.BinarySI), n)
}

// pools are the sizes of the buffer pool in the trials of the target, in bytes, as far as they are numbers.
func (p serverPages) pools() (out []int64) {
	given := p.values(bufferPool)
	if given == nil {
		return []int64{stockPool}
	}
	for _, value := range given {
		if n, is := settings.Integer(value); is {
			out = append(out, n)
		}
	}
	return out
}

// values of a setting in the trials of the target; none where nothing sets it.
func (p serverPages) values(name string) (out []string) {
	if i := p.axis(name); i >= 0 {
		for _, v := range p.matrix[i].Values {
			out = append(out, v.String())
		}
		return out
	}
	// As the server reads them: skip_large_pages is OFF, and a switch without a value is ON.
	if value, is := settings.Variables(resources.Settings(p.settings), map[string]string{name: ""})[name]; is {
		out = append(out, value)
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
