package drivers

// language is a row of the table: what a harness is started with.
type language struct {
	// name in the API.
	name string
	// image is what follows "drivers-" in the catalogue of images.
	image string
	// path and args of the harness.
	path string
	args []string
}

// languages in the order of documents. A new one is a folder and a row.
var languages = []language{
	{"Node", "node", "node", []string{"--expose-gc", "/opt/harness/main.js"}},
	{"Python", "python", "python3", []string{"/opt/harness/main.py"}},
	{"Go", "go", "/opt/harness/harness", nil},
	{"Java", "java", "java", []string{"-XX:+UseSerialGC", "-Xlog:disable", "-Xlog:all=warning:stderr", "-cp", "/opt/harness/lib/*", "dev.assay.harness.Main"}},
	{"Rust", "rust", "/opt/harness/harness", nil},
	{"C", "c", "/opt/harness/harness", nil},
	{"PHP", "php", "php", []string{"/opt/harness/main.php"}},
	{"Ruby", "ruby", "ruby", []string{"/opt/harness/main.rb"}},
	{"DotNet", "dotnet", "/opt/harness/harness", nil},
}
