package main

import (
	"encoding/xml"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// ecosystems are Dependabot's words for those who keep packages, by the names of their files. Composer and Bundler are here for the day
// on which a harness has one of their locks: PHP's and Ruby's drivers are packages of Debian.
var ecosystems = map[string]*regexp.Regexp{
	"github-actions": regexp.MustCompile(`^\.github/workflows/[^/]+\.ya?ml$`),
	"docker":         regexp.MustCompile(`(^|/)Dockerfile$`),
	"gomod":          regexp.MustCompile(`(^|/)go\.mod$`),
	"npm":            regexp.MustCompile(`(^|/)package-lock\.json$`),
	"pip":            regexp.MustCompile(`(^|/)requirements[^/]*\.txt$`),
	"cargo":          regexp.MustCompile(`(^|/)Cargo\.lock$`),
	"maven":          regexp.MustCompile(`(^|/)pom\.xml$`),
	"nuget":          regexp.MustCompile(`(^|/)(packages\.lock\.json|harness\.csproj)$`),
	"composer":       regexp.MustCompile(`(^|/)composer\.lock$`),
	"bundler":        regexp.MustCompile(`(^|/)Gemfile\.lock$`),
}

// notRenewed are files that Dependabot must not read, and why.
var notRenewed = map[string]string{
	repetitions:                     "it is kept as it was, for repetitions of published numbers",
	"hack/apiservers/oldest/go.mod": "it is the oldest API server that the chart installs on",
	"hack/autoscaler/go.mod":        "nothing imports the module: a CRD is read out of it, and tidying would remove it",
	"hack/snapshotter/go.mod":       "nothing imports the module: CRDs are read out of it, and tidying would remove it",
	"cmd/agent/Dockerfile":          "it builds on nothing",
	"cmd/manager/Dockerfile":        "it builds on nothing",
	"hack/node-image/Dockerfile":    "its base is made on the machine",
}

// repetitions has the files from Maven Central that stay old.
const repetitions = "hack/images/repetitions/pom.xml"

// update is an entry of Dependabot's configuration.
type update struct {
	Ecosystem   string `json:"package-ecosystem"`
	Directory   string
	Directories []string
}

// covers reports whether an entry reads the files of a folder of the repository.
func (u update) covers(folder string) bool {
	return slices.ContainsFunc(append(u.Directories, u.Directory), func(pattern string) bool {
		pattern = strings.TrimPrefix(pattern, "/")
		if prefix, is := strings.CutSuffix(pattern, "/**"); is {
			return folder == prefix || strings.HasPrefix(folder, prefix+"/")
		}
		matched, err := path.Match(pattern, folder)
		return err == nil && matched && (pattern != "" || folder == "")
	})
}

// folderOf a file as Dependabot names it: workflows belong to the root.
func folderOf(file string) string {
	folder := path.Dir(file)
	if folder == "." || folder == ".github/workflows" {
		return ""
	}
	return folder
}

// Every lock of the repository is renewed, or it is said why not; and no entry is about nothing.
func TestDependabotRenewsEveryLock(t *testing.T) {
	root := filepath.Join("..", "..")
	var config struct{ Updates []update }
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(root, ".github/dependabot.yml"))), &config); err != nil {
		t.Fatal(err)
	}
	used, locks := map[string]bool{}, 0
	for _, file := range filesIn(t, root) {
		for ecosystem, pattern := range ecosystems {
			if !pattern.MatchString(file) {
				continue
			}
			locks++
			renewed := false
			for _, u := range config.Updates {
				if u.Ecosystem == ecosystem && u.covers(folderOf(file)) {
					renewed, used[ecosystem] = true, true
				}
			}
			if why := notRenewed[file]; renewed == (why != "") {
				t.Errorf("%s: renewed by Dependabot is %v, and the reason against it is %q", file, renewed, why)
			}
		}
	}
	for _, u := range config.Updates {
		if !used[u.Ecosystem] {
			t.Errorf("the entry for %s is about no file", u.Ecosystem)
		}
	}
	if locks < 50 {
		t.Errorf("%d locks were found: not all are", locks)
	}
}

func TestCovers(t *testing.T) {
	for _, tt := range []struct {
		pattern, folder string
		want            bool
	}{
		{"/", "", true}, {"/", "harness/go", false}, {"/harness/go", "harness/go", true}, {"/harness/go", "harness", false},
		{"/hack/tools/*", "hack/tools/oci", true}, {"/hack/tools/*", "hack/tools/kubernetes/etcd", false}, {"/hack/tools/*", "hack/tools", false},
		{"/engines/**", "engines/mysql/image", true}, {"/engines/**", "engines2/x", false}, {"/engines/*/image", "engines/dolt/image", true},
	} {
		if got := (update{Directories: []string{tt.pattern}}).covers(tt.folder); got != tt.want {
			t.Errorf("%s covers %q: %v, want %v", tt.pattern, tt.folder, got, tt.want)
		}
	}
}

// filesIn the repository, but what is built and what hidden folders have.
func filesIn(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(entry.Name(), ".") && relative != "." && entry.Name() != ".github"
		if entry.IsDir() && (hidden || relative == "out" || relative == "bin" || slices.Contains([]string{"node_modules", "testdata", "target"}, entry.Name())) {
			return fs.SkipDir
		}
		if !entry.IsDir() {
			out = append(out, filepath.ToSlash(relative))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The files that the poms name are those that the table has checksums of, image by image: Dependabot changes the poms alone.
func TestEveryJarHasItsChecksum(t *testing.T) {
	root := filepath.Join("..", "..")
	var want []string
	for _, file := range []string{"hack/images/pom.xml", repetitions} {
		var pom struct {
			Executions []struct {
				Image string `xml:"id"`
				Items []struct {
					Artifact string `xml:"artifactId"`
					Version  string `xml:"version"`
				} `xml:"configuration>artifactItems>artifactItem"`
			} `xml:"build>plugins>plugin>executions>execution"`
		}
		if err := xml.Unmarshal([]byte(read(t, filepath.Join(root, file))), &pom); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, e := range pom.Executions {
			for _, i := range e.Items {
				want = append(want, e.Image+" "+i.Artifact+"-"+i.Version+".jar")
			}
		}
	}
	var got []string
	for _, line := range entries(read(t, filepath.Join(root, mavenTable))) {
		got = append(got, strings.Join(strings.Fields(line)[:2], " "))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 10 {
		t.Errorf("files of the poms and of %s (-want +got):\n%s", mavenTable, diff)
	}
}
