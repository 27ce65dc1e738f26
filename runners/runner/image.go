package runner

// ImageName of the clients in the catalogue of images.
func (r Runner) ImageName(pods Pods) string {
	if pods.Variant == "" {
		return r.Name
	}
	return r.Name + "-" + pods.Variant
}
