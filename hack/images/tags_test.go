package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-bench/assay/test/helpers/tree"
)

var small = map[string]string{
	"runners/x/Dockerfile":        "FROM debian:sid-slim\n",
	"runners/x/fetch.sh":          "echo\n",
	"runners/y/java/Main.java":    "class Main {}\n",
	"runners/y/java/test/T.java":  "class T {}\n",
	"harness/x/Dockerfile":        "FROM debian:sid-slim\n",
	"harness/x/tests/run.x":       "assert\n",
	"harness/x/main_test.go":      "package main\n",
	"cmd/agent/Dockerfile":        "FROM scratch\n",
	"cmd/agent/main.go":           "package main\n",
	"hack/images/base.sh":         "mmdebstrap\n",
	"hack/images/program.sh":      "go build\n",
	"hack/tools/versitygw/go.sum": "h1:1\n",
	"hack/tools/x/go.sum":         "h1:2\n",
	"test/cmd/x/main.go":          "package main\n",
	"go.mod":                      "module x\n",
	"hack/tool.sh":                "go build\n",

	"hack/monitoring/prometheus/go.sum": "h1:1\n",
	"hack/monitoring/operator/go.sum":   "h1:1\n",
	"hack/monitoring/build.sh":          "go build\n",
	"hack/images/maven.txt":             "# comment x y\nrunner-x a:b:1 11\nother c:d:2 22\nrunner-x e:f:3 33\n",
	"out/bin/linux/agent":               "ELF\n",
	"hack/images/images.yaml":           "images: []\n",

	"out/dotnet/x.tar.gz":        "packed\n",
	"out/dotnet/x.tar.gz.sha256": sumOfText("packed\n") + "  x.tar.gz\n",
}

// Each input changes the tag, and what is no input does not.
func TestTagFollowsItsInputs(t *testing.T) {
	full := image{Name: "runner-x", Folder: "runners/x", Base: "debian:sid-slim", Inputs: []string{"agent", "jars", "program", "versitygw", "prometheus", "prometheus-operator", "fetched", "runners/y/java", "hack/tools/x", "test/cmd/x"}}
	harness := image{Name: "runner-drivers-x", Folder: "harness/x", Base: "debian:sid-slim", Inputs: []string{"harness/x"}}
	program := image{Name: "agent", Folder: "cmd/agent", Inputs: []string{"agent"}}
	archive := image{Name: "runner-drivers-x", Folder: "harness/x", Archive: "X_HARNESS", Given: "out/dotnet/x.tar.gz"}
	tests := map[string]struct {
		image  image
		change string
		text   string
		same   bool
	}{
		"the Dockerfile":                           {image: full, change: "runners/x/Dockerfile"},
		"a file beside the Dockerfile":             {image: full, change: "runners/x/fetch.sh"},
		"a new file beside the Dockerfile":         {image: full, change: "runners/x/patch"},
		"the recipe of the base":                   {image: full, change: "hack/images/base.sh"},
		"the binary":                               {image: full, change: "out/bin/linux/agent"},
		"a folder of the repository":               {image: full, change: "runners/y/java/Main.java"},
		"the tests of such a folder":               {image: full, change: "runners/y/java/test/T.java", same: true},
		"the lock of the object store":             {image: full, change: "hack/tools/versitygw/go.sum"},
		"the lock of Prometheus":                   {image: full, change: "hack/monitoring/prometheus/go.sum"},
		"the lock of its operator":                 {image: full, change: "hack/monitoring/operator/go.sum"},
		"the script that builds both":              {image: full, change: "hack/monitoring/build.sh"},
		"the lock of a tool":                       {image: full, change: "hack/tools/x/go.sum"},
		"a program of the tests":                   {image: full, change: "test/cmd/x/main.go"},
		"the modules of such a program":            {image: full, change: "go.mod"},
		"the script of tools":                      {image: full, change: "hack/tool.sh"},
		"the script of servers in Go":              {image: full, change: "hack/images/program.sh"},
		"its lines of the table of jars":           {image: full, change: "hack/images/maven.txt", text: "runner-x a:b:1 12\n"},
		"another image's lines":                    {image: full, change: "hack/images/maven.txt", text: small["hack/images/maven.txt"] + "other g:h:4 44\n", same: true},
		"a harness":                                {image: harness, change: "harness/x/Dockerfile"},
		"the tests of a harness":                   {image: harness, change: "harness/x/tests/run.x", same: true},
		"the tests of a harness in Go":             {image: harness, change: "harness/x/main_test.go", same: true},
		"another archive of a harness":             {image: archive, change: "out/dotnet/x.tar.gz", text: "again\n"},
		"what an archive's digest says beside it":  {image: archive, change: "out/dotnet/x.tar.gz.sha256", text: sumOfText("packed\n") + "  y.tar.gz\n", same: true},
		"an archive that is not asked for":         {image: harness, change: "out/dotnet/x.tar.gz", text: "again\n", same: true},
		"the table of images":                      {image: full, change: "hack/images/images.yaml", same: true},
		"sources of a program, built the same":     {image: program, change: "cmd/agent/main.go", same: true},
		"the Dockerfile of a program":              {image: program, change: "cmd/agent/Dockerfile"},
		"the recipe of a base, for an image alone": {image: program, change: "hack/images/base.sh", same: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			root := tree.Of(t, small)
			t.Chdir(root)
			before, after := tagOf(t, root, tt.image), ""
			text := tt.text
			if text == "" {
				text = "changed\n"
			}
			write(t, filepath.Join(root, tt.change), text)
			if tt.change == tt.image.Given {
				write(t, filepath.Join(root, tt.change+".sha256"), sumOfText(text)+"\n")
			}
			if after = tagOf(t, root, tt.image); (before == after) != tt.same {
				t.Errorf("before %s, after a change of %s %s", before, tt.change, after)
			}
		})
	}
}

// Where the sources of a harness have changed, its image has to be made anew, which is when its archive is held against them.
func TestTagFollowsTheSourcesOfAnArchive(t *testing.T) {
	root := tree.Of(t, small)
	tags := map[string]bool{}
	for _, sources := range []string{"0123456789ab", "ba9876543210"} {
		images := []image{{Name: "runner-drivers-x", Folder: "harness/x", Archive: "X_HARNESS", Given: "x.tar.gz", Sum: sumOfText("packed\n"), Sources: sources}}
		if err := setTags(root, images); err != nil {
			t.Fatal(err)
		}
		tags[images[0].Tag] = true
	}
	if len(tags) != 2 {
		t.Errorf("got the tags %v, want two", tags)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func tagOf(t *testing.T, root string, i image) string {
	t.Helper()
	images := []image{i}
	if i.Given != "" {
		sum, err := i.archiveSum()
		if err != nil {
			t.Fatal(err)
		}
		images[0].Sum = sum
	}
	if err := setTags(root, images); err != nil {
		t.Fatal(err)
	}
	return images[0].Tag
}

func TestTagFailures(t *testing.T) {
	tests := map[string]struct {
		image image
		err   string
	}{
		"a binary that is not built": {image{Name: "manager", Folder: "cmd/agent", Inputs: []string{"manager"}}, "needs out/bin/linux/manager: run make build first"},
		"no folder":                  {image{Name: "z", Folder: "runners/z"}, "no such file"},
		"no line in the table":       {image{Name: "z", Folder: "runners/x", Inputs: []string{"jars"}}, "maven.txt has no line for z"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { checkError(t, setTags(tree.Of(t, small), []image{tt.image}), tt.err) })
	}
}

// The scripts that build parts of images hash by digest of hack/lib.sh; both agree.
func TestDigestIsThatOfTheScripts(t *testing.T) {
	root := tree.Of(t, map[string]string{"a/a_test.go": "0", "a/B": "1", "a/a": "2", "a/c/d": "3", "a-b": "4", "z": "5"})
	got, err := digest(root, []string{"a", "z"}, []string{"", "two\nlines"})
	if err != nil {
		t.Fatal(err)
	}
	lib, err := filepath.Abs("../lib.sh")
	if err != nil {
		t.Fatal(err)
	}
	script := exec.Command("bash", "-c", `source "$0"; REPO=$1; digest "$1/a" "$1/z" -- "" $'two\nlines'`, lib, root)
	script.Env = append(os.Environ(), "ASSAY_CACHE="+t.TempDir())
	var failure bytes.Buffer
	script.Stderr = &failure
	want, err := script.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, failure.String())
	}
	if got != strings.TrimSpace(string(want)) {
		t.Errorf("digest = %s, hack/lib.sh says %s", got, want)
	}
}
