package accept

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/experiment/placement"
)

// resolution is what the references of a spec mean.
type resolution struct {
	resolved v1alpha1.Resolved
	// copies of what has to stay as it is now, and is too large for the status.
	copies []decision.Action
	// targets are what the status says of targets already: the numbers that somebody published, and what is common to
	// the pods behind a Service.
	targets []v1alpha1.TargetStatus
	// sizes of what names no shape.
	sizes placement.Sizes
	// awaits is a Service or a VolumeSnapshot for which the run has to wait, as an error; nil for none.
	awaits error
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
	r.resolved.AgentResources = in.Catalogue.Config.Agent.Resources
	if len(images) > 1 && spec.Design.ClientPods == v1alpha1.ClientPodsStanding {
		return r, experiment.Refuse(v1alpha1.ReasonInvalidSpec,
			"spec.design.clientPods: Standing clients have one image, and the cells of this run need %d, such as %s and %s: set PerTrial, or measure them in runs of their own",
			len(images), images[0].Name, images[1].Name)
	}
	if len(images) > 1 {
		r.resolved.RunnerImages = images
	}
	held, err := in.nodesBehind()
	if err != nil {
		return r, err
	}
	r.sizes = in.chosenSizes(held)
	if r.resolved.ClientShape, err = in.shape("spec.clients.shape", spec.Clients.Shape, r.sizes.Client); err != nil {
		return r, err
	}
	if err := clientPages(r.resolved.ClientShape); err != nil {
		return r, err
	}
	r.resolved.SeparateFromTargets = separation(in.Run, r.sizes)
	if err := in.resolveFiles(&r, out.Work); err != nil {
		return r, err
	}
	for i, t := range spec.Targets {
		field := fmt.Sprintf("spec.targets[%d]", i)
		rt := v1alpha1.ResolvedTarget{Name: t.Name}
		var err error
		switch {
		case t.External != nil:
			if err = in.checkExternal(field+".external", out.Work, t.External); err == nil {
				err = in.resolveService(field+".external", t, &rt, &r)
			}
		case t.Published != nil:
			rt.PublishedSHA256, err = in.resolvePublished(field+".published", t, &r)
		default:
			if rt, err = in.resolveServer(field, t, out.Planned.Demand.On(spec.ServersOf(t)), r.sizes.Target); err == nil {
				err = cmp.Or(in.resolveRetained(field, t, &rt), in.resolveSnapshots(field, t, &rt, &r))
			}
		}
		if err != nil {
			return r, err
		}
		r.resolved.Targets = append(r.resolved.Targets, rt)
	}
	return r, onVolumesOfTheirOwn(r.resolved.Targets)
}

// runnerImages of the client pods: the user's own, or those of the catalogue, one for each
// name that the cells of the plan ask for.
func (in references) runnerImages(w experiment.Work, p experiment.Planned) ([]v1alpha1.RunnerImage, error) {
	if p.OwnImage != "" {
		return []v1alpha1.RunnerImage{{Name: w.Tool.Name, Image: p.OwnImage}}, nil
	}
	var out []v1alpha1.RunnerImage
	for _, name := range p.Images {
		image, ok := in.Catalogue.Config.Runners[name]
		if !ok {
			return nil, experiment.Refuse(v1alpha1.ReasonInvalidSpec,
				"spec.workload.%s: the operator's configuration has no image for this runner (chart value runners.%s.image)", w.Tool.Name, name)
		}
		out = append(out, v1alpha1.RunnerImage{Name: name, Image: image.Image})
	}
	return out, nil
}

// maxResolved is the JSON of what the references of a spec mean, in bytes: it stands in the status
// beside the spec.
const maxResolved = 512 << 10

// CheckResolved refuses a run whose references mean more than its status can pin.
func CheckResolved(r v1alpha1.Resolved) error {
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("the size of status.resolved: %w", err)
	}
	if len(data) > maxResolved {
		return experiment.Refuse(v1alpha1.ReasonSpecTooLarge, "spec.targets: the shapes and settings of all targets, and the pods behind Services, are %d bytes, and a run has at most %d: "+
			"use fewer settings, fewer targets, shapes with fewer annotations, or Services with fewer pods", len(data), maxResolved)
	}
	return nil
}
