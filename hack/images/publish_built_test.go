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

// plainDocker stands for an engine that has all images, and pushes what it is asked to. It knows digests of
// two registries.
const plainDocker = `#!/bin/sh
echo "$@" >>"$CALLS"
case "$1 $2" in
  "image ls") cat "$TAGS" ;;
  "image inspect") printf 'example.com/other@sha256:111\nexample.com/team/assay-agent@sha256:222\n' ;;
esac
`

// Built images of ours are pushed, and are known by the digest that the right registry gave them. The
// engine forgets the name that was pushed.
func TestPublishBuilt(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "docker"), []byte(plainDocker), 0o755); err != nil {
		t.Fatal(err)
	}
	calls, tags := filepath.Join(folder, "calls"), filepath.Join(folder, "tags")
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	t.Setenv("CALLS", calls)
	t.Setenv("TAGS", tags)
	t.Chdir(tree.Of(t, map[string]string{"cmd/agent/Dockerfile": "FROM scratch\n", "out/bin/linux/agent": "ELF\n", "engines/m/Dockerfile": "FROM scratch\n"}))
	images := []image{{Name: "agent", Folder: "cmd/agent", Inputs: []string{"agent"}}, {Name: "mysql", Series: "9.7", Folder: "engines/m"}}
	here := []image{images[0]}
	if err := setTags(".", here); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tags, []byte(here[0].Tag+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := builder{progress: progress{out: io.Discard}, cache: t.TempDir()}
	if err := b.publishBuilt(context.Background(), "example.com/team", "1.2.3-amd64", images); err != nil {
		t.Fatal(err)
	}
	if want, got := "agent example.com/team/assay-agent@sha256:222\n", read(t, publishedFile); got != want {
		t.Errorf("published:\n%swant:\n%s", got, want)
	}
	tag := "example.com/team/assay-agent:1.2.3-amd64\n"
	all := read(t, calls)
	for _, call := range []string{"tag " + here[0].Tag + " " + tag, "push --quiet " + tag, "rmi " + tag} {
		if !strings.Contains(all, call) {
			t.Errorf("no %q in\n%s", call, all)
		}
	}
	if err := b.publishBuilt(context.Background(), "example.com/nobody", "1.2.3-amd64", images); err == nil {
		t.Error("published although the engine knows no digest")
	}
}
