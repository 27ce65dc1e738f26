package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/test/helpers/tree"
)

func TestMissing(t *testing.T) {
	images := []image{
		{Name: "manager", Tag: "assay-manager:1"},
		{Name: "a", Base: "debian:sid-slim", Tag: "assay-a:1"},
		{Name: "b", Base: "debian:trixie-slim", Tag: "assay-b:1"},
		{Name: "c", Base: "debian:sid-slim", Tag: "assay-c:1"},
		{Name: "agent", Tag: "assay-agent:1"},
	}
	var got []string
	for _, c := range missing(images, []string{"assay-b:0", "assay-agent:1", "assay-a:2"}) {
		got = append(got, c.base+": "+keys(c.images))
	}
	want := []string{": manager", "debian:sid-slim: a c", "debian:trixie-slim: b"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chains (-want +got):\n%s", diff)
	}
	if left := missing(images[:1], []string{"assay-manager:1"}); left != nil {
		t.Errorf("an image that is there is built again: %v", left)
	}
}

func TestStale(t *testing.T) {
	mysql := image{Name: "mysql", Series: "9.7", Tag: "assay-mysql:9.7-aaa"}
	tests := map[string]struct {
		present []string
		want    []string
	}{
		"two others stay beside the one of this tree": {[]string{"assay-mysql:9.7-1", "assay-mysql:9.7-aaa", "assay-mysql:9.7-2", "assay-mysql:9.7-3"}, []string{"assay-mysql:9.7-3"}},
		"the one of this tree stays, however old":     {[]string{"assay-mysql:9.7-1", "assay-mysql:9.7-2", "assay-mysql:9.7-3", "assay-mysql:9.7-aaa"}, []string{"assay-mysql:9.7-3"}},
		"another series is another image":             {[]string{"assay-mysql:9.70-1", "assay-mysql:8.0-1", "assay-mysql:8.0-2", "assay-mysql:8.0-3"}, nil},
		"few stay all":                                {[]string{"assay-mysql:9.7-1", "assay-mysql:9.7-2"}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, stale(mysql, tt.present)); diff != "" {
				t.Errorf("stale (-want +got):\n%s", diff)
			}
		})
	}
}

// A failed build shows the end of its log.
func TestLastLines(t *testing.T) {
	path := filepath.Join(tree.Of(t, map[string]string{"log": "1\n2\n3"}), "log")
	for n, want := range map[int]string{1: "3\n", 2: "2\n3\n", 9: "1\n2\n3\n"} {
		if got := lastLines(path, n); got != want {
			t.Errorf("the last %d lines are %q, want %q", n, got, want)
		}
	}
}

func TestLayContext(t *testing.T) {
	t.Chdir(tree.Of(t, small))
	to := t.TempDir()
	if err := layContext(t.Context(), image{Name: "x", Folder: "runners/x", Inputs: []string{"agent", "runners/y/java", "harness/x"}}, to); err != nil {
		t.Fatal(err)
	}
	got, err := filesOf(to, ".")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"agent", "java/Main.java", "x/Dockerfile"}, got); diff != "" {
		t.Errorf("the build context (-want +got):\n%s", diff)
	}
	err = layContext(t.Context(), image{Name: "x", Folder: "runners/x", Inputs: []string{"manager"}}, to)
	checkError(t, err, "copying out/bin/linux/manager")
}

// What is under way is in the folder of the heartbeat, with its log, until it has ended.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := progress{out: &out, folder: t.TempDir()}
	done := p.underway("image a", "/some/log")
	files, err := filepath.Glob(filepath.Join(p.folder, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files of the heartbeat: %v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if _, rest, _ := strings.Cut(string(text), "\n"); err != nil || rest != "image a\n/some/log\n" {
		t.Errorf("the file has %q, %v", text, err)
	}
	done()
	if _, err := os.Stat(files[0]); !os.IsNotExist(err) {
		t.Errorf("what has ended is still shown: %v", err)
	}
	if out.Len() > 0 {
		t.Errorf("said: %s", out.String())
	}
}
