package output

// VersionVersion names the format of Version. A reader refuses any other.
const VersionVersion = "assay.dev/cli/version/v1"

// Version of the command, and of the managers in the cluster: `version -o json`.
type Version struct {
	// Version is always VersionVersion.
	Version string  `json:"version"`
	Command Program `json:"command"`
	// Managers that the user may see. Empty where none is seen.
	Managers []Manager `json:"managers"`
	// Unknown says why the managers of the cluster are not known; absent where they are.
	Unknown string `json:"unknown,omitempty"`
}

// Program is this command.
type Program struct {
	// Version of the release, such as 0.2.0; devel for a build that is none.
	Version string `json:"version"`
	// Commit that it was built from, in hexadecimal; absent where that is not known.
	Commit string `json:"commit,omitempty"`
	// Go is the version of the compiler, and Platform the system and the architecture, such as linux/amd64.
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Manager is a deployment of the operator.
type Manager struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Release is the version that its chart names (the label app.kubernetes.io/version); absent without the label.
	Release string `json:"release,omitempty"`
	// Image of the manager, and its pods that are ready, of those that are wanted.
	Image  string `json:"image"`
	Ready  int32  `json:"ready"`
	Wanted int32  `json:"wanted"`
}
