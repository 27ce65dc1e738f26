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
	// poolEnds: the harness closes a pool at the end of the run that filled it, and keeps none.
	poolEnds bool
	// ownLogin: the connection of the login can be none of the workers', because it belongs to another runtime.
	ownLogin bool
}

// languages in the order of documents. A new one is a folder and a row.
var languages = []language{
	{name: "Node", image: "node", path: "node", args: []string{"--expose-gc", "/opt/harness/main.js"}},
	{name: "Python", image: "python", path: "python3", args: []string{"/opt/harness/main.py"}, poolEnds: true},
	{name: "Go", image: "go", path: "/opt/harness/harness"},
	{name: "Java", image: "java", path: "java", args: []string{"-XX:+UseSerialGC", "-Xlog:disable", "-Xlog:all=warning:stderr", "-cp", "/opt/harness/lib/*", "dev.assay.harness.Main"}},
	{name: "Rust", image: "rust", path: "/opt/harness/harness", poolEnds: true, ownLogin: true},
	{name: "C", image: "c", path: "/opt/harness/harness"},
	{name: "PHP", image: "php", path: "php", args: []string{"/opt/harness/main.php"}},
	{name: "Ruby", image: "ruby", path: "ruby", args: []string{"/opt/harness/main.rb"}},
	{name: "DotNet", image: "dotnet", path: "/opt/harness/harness"},
}
