package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-bench/assay/test/helpers/tree"
)

// docker stands for the engine: it writes its arguments down, and the metadata of a build.
const docker = `#!/bin/sh
echo "$@" >>"$CALLS"
while [ $# -gt 0 ]; do
  if [ "$1" = --metadata-file ]; then printf '%s' "$METADATA" >"$2"; fi
  if [ "$1" = --file ]; then cat "$2" >/dev/null || exit 1; fi
  shift
done
`

// Images of ours are pushed with a list of packages and with provenance, and are known by digest.
func TestPublish(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "docker"), []byte(docker), 0o755); err != nil {
		t.Fatal(err)
	}
	calls := filepath.Join(folder, "calls")
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	t.Setenv("CALLS", calls)
	t.Chdir(tree.Of(t, map[string]string{
		"cmd/agent/Dockerfile": "FROM scratch\n", "out/bin/linux/agent": "ELF\n", "runners/x/Dockerfile": "FROM scratch\n", "engines/m/Dockerfile": "FROM scratch\n",
	}))
	images := []image{
		{Name: "agent", Folder: "cmd/agent", Inputs: []string{"agent"}},
		{Name: "runner-x", Folder: "runners/x"},
		{Name: "mysql", Series: "9.7", Folder: "engines/m"},
		{Name: "runner-y", Folder: "runners/x", Archive: "Y_HARNESS", Given: "somebody-elses.tar.gz"},
	}
	b := builder{progress: progress{out: io.Discard}, cache: t.TempDir()}

	t.Setenv("METADATA", `{"containerimage.digest": "sha256:abc"}`)
	if err := b.publish(context.Background(), "example.com/team", "1.2.3", images); err != nil {
		t.Fatal(err)
	}
	want := "agent example.com/team/assay-agent@sha256:abc\nrunner-x example.com/team/assay-runner-x@sha256:abc\n"
	if got := read(t, publishedFile); got != want {
		t.Errorf("published:\n%swant:\n%s", got, want)
	}
	for line := range strings.Lines(read(t, calls)) {
		for _, word := range []string{"--push", "--provenance=mode=max", "type=sbom,generator=docker/buildkit-syft-scanner:", "@sha256:", ":1.2.3 "} {
			if !strings.Contains(line, word) {
				t.Errorf("a build without %s: %s", word, line)
			}
		}
	}

	for _, said := range []string{`{}`, `no JSON`} {
		t.Setenv("METADATA", said)
		if err := b.publish(context.Background(), "example.com/team", "1.2.3", images); err == nil {
			t.Errorf("published although buildx says %s", said)
		}
	}
	checkError(t, publish(context.Background(), b.publish, []string{"example.com/team"}), "usage: publish")
}

// Who asks for an image that is not published learns what to do, and of a set it is left out.
func TestPublishRefusesWhatIsNotOurs(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	var got string
	do := func(_ context.Context, _, _ string, images []image) error { got = keys(images); return nil }
	for name, tt := range map[string]struct{ words, err string }{
		"an archive's, by name":            {"core runner-drivers-dotnet", "image runner-drivers-dotnet is made of somebody else's archive, and is not published. Build it by DOTNET_HARNESS=FILE hack/images.sh build runner-drivers-dotnet, push it by docker tag and docker push, and name it in the chart's value runners.drivers-dotnet.image"},
		"a server, by name":                {"mysql:8.0", "image mysql:8.0 is not published: it is neither the manager"},
		"a set, in which both are":         {"full", ""},
		"what is published, beside others": {"agent runner-sysbench", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got = ""
			checkError(t, publish(t.Context(), do, append([]string{"example.com/team", "1.2.3"}, strings.Fields(tt.words)...)), tt.err)
			if (got == "") != (tt.err != "") {
				t.Errorf("published %q", got)
			}
		})
	}
}
