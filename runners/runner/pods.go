package runner

import "encoding/json"

// Pods is what a workload needs of the pods of its clients. The zero value: the one image
// of the tool in the catalogue.
type Pods struct {
	// Variant is the part of the name of the image in the catalogue that follows the tool's
	// and a hyphen, for a tool whose images differ by workload; empty: there is one image.
	Variant string
	// Image of the user, in place of one of the catalogue; empty: there is none. The agent is
	// put into it.
	Image string
	// PullPolicy of Image: Always, Never or IfNotPresent.
	PullPolicy string
	// PullSecrets are the names of the Secrets for Image, in the run's namespace.
	PullSecrets []string
	// Files of the user that the tool reads; the zero value: there are none.
	Files Files
}

// Fields are data fields that do not depend on the workload (Data.Fields).
func Fields(names ...string) func(json.RawMessage) ([]string, error) {
	return func(json.RawMessage) ([]string, error) { return names, nil }
}

// Files are the keys of a ConfigMap of the user, each of which becomes a file.
type Files struct {
	// ConfigMap is its name, in the run's namespace; empty: there are no files.
	ConfigMap string
	// Field that names it, such as workload.custom.files.
	Field string
	// Needed is the file that has to be among them; empty: any.
	Needed string
}
