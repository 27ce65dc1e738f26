package runner

import "encoding/json"

// ImageName of a workload in the catalogue of images. It fails when the workload cannot
// be understood.
func (r Runner) ImageName(workload json.RawMessage) (string, error) {
	if r.Image == nil {
		return r.Name, nil
	}
	part, err := r.Image(workload)
	return r.Name + "-" + part, err
}
