package accept

import (
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
)

// resolution is what the references of a spec mean.
type resolution struct {
	resolved v1alpha1.Resolved
	// copies of what has to stay as it is now, and is too large for the status.
	copies []decision.Action
	quoted []Quoted
}

// resolve every reference of the spec.
func (in references) resolve(out Result) (resolution, error) {
	spec := in.Run.Spec
	var r resolution
	images, err := in.runnerImages(out.Work, out.Planned)
	if err != nil {
		return r, err
	}
	r.resolved.AgentImage, r.resolved.RunnerImage = in.Catalogue.Config.Agent.Image, images[0].Image
	agent := in.Catalogue.Config.Agent.Resources
	r.resolved.AgentResources = &v1alpha1.AgentResources{CPU: agent.CPU, Memory: agent.Memory}
	if len(images) > 1 {
		r.resolved.RunnerImages = images
	}
	if r.resolved.ClientShape, err = in.shape("spec.clients.shape", spec.Clients.Shape); err != nil {
		return r, err
	}
	if err := in.resolveFiles(&r, out.Work); err != nil {
		return r, err
	}
	for i, t := range spec.Targets {
		field := fmt.Sprintf("spec.targets[%d]", i)
		rt := v1alpha1.ResolvedTarget{Name: t.Name}
		var err error
		switch {
		case t.External != nil:
			err = in.checkExternal(field+".external", out.Work, t.External)
		case t.Published != nil:
			rt.PublishedSHA256, err = in.resolvePublished(field+".published", t, &r)
		default:
			rt, err = in.resolveServer(field, t, out.Planned.Demand)
		}
		if err != nil {
			return r, err
		}
		r.resolved.Targets = append(r.resolved.Targets, rt)
	}
	return r, nil
}

// runnerImages of the client pods: the user's own, or those of the catalogue, one for each
// name that the cells of the plan ask for.
func (in references) runnerImages(w Work, p Planned) ([]v1alpha1.RunnerImage, error) {
	if p.own != "" {
		return []v1alpha1.RunnerImage{{Name: w.Tool.Name, Image: p.own}}, nil
	}
	var out []v1alpha1.RunnerImage
	for _, name := range p.images {
		image, ok := in.Catalogue.Config.Runners[name]
		if !ok {
			return nil, refuse(v1alpha1.ReasonInvalidSpec,
				"spec.workload.%s: the operator's configuration has no image for this runner (chart value runners.%s.image)", w.Tool.Name, name)
		}
		out = append(out, v1alpha1.RunnerImage{Name: name, Image: image.Image})
	}
	return out, nil
}
