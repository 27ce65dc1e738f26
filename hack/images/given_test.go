package main

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/assay-bench/assay/runners/drivers"
	"github.com/assay-bench/assay/test/helpers/tree"
)

// rememberingDocker stands for an engine without a cluster: it has the images that it built, newest first.
const rememberingDocker = `#!/bin/sh
case "$1 $2" in
  "image ls") cat "$TAGS" ;;
  "image rm") grep -vFx "$3" "$TAGS" >"$TAGS.new"; mv "$TAGS.new" "$TAGS" ;;
  "image inspect") echo 1000000 ;;
  build*)
    while [ $# -gt 1 ]; do
      if [ "$1" = --tag ]; then tag=$2; fi
      shift
    done
    { echo "$tag"; cat "$TAGS"; } >"$TAGS.new"; mv "$TAGS.new" "$TAGS" ;;
esac
`

// machine is a checkout with an image that is made of an archive, and with an engine.
type machine struct {
	builder
	said *bytes.Buffer
	// tags is the file with those that the engine has.
	tags string
}

func newMachine(t *testing.T) machine {
	t.Helper()
	program := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	archive := packed(t, []member{{name: "harness", text: programFor(t, program), mode: 0o755}, {name: "sources", text: "0123456789ab\n", mode: 0o644}})
	root := tree.Of(t, map[string]string{
		"bin/docker":           rememberingDocker,
		"cmd/agent/Dockerfile": "FROM scratch\n", "cmd/manager/Dockerfile": "FROM scratch\n", "harness/x/Dockerfile": "FROM scratch\n",
		"out/bin/linux/agent": "ELF\n", "out/bin/linux/manager": "ELF\n",
		"hack/install-debian.sh": "#!/bin/sh\n", dotnetScript: "#!/bin/sh\necho 0123456789ab\n",
		"x.tar.gz": archive, "x.tar.gz.sha256": sumOfText(archive) + "\n",
		tableFile: "images:\n- {name: manager, set: demo, folder: cmd/manager, inputs: [manager]}\n- {name: agent, set: demo, folder: cmd/agent, inputs: [agent]}\n" +
			"- {name: runner-drivers-x, set: core, folder: harness/x, archive: X_HARNESS, inputs: [agent]}\n",
	})
	for _, script := range []string{"bin/docker", "hack/install-debian.sh", dotnetScript} {
		if err := os.Chmod(filepath.Join(root, script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	m := machine{said: &bytes.Buffer{}, tags: filepath.Join(root, "tags")}
	m.builder = builder{progress: progress{out: m.said}, cache: t.TempDir()}
	write(t, m.tags, "")
	t.Setenv("PATH", filepath.Join(root, "bin")+":"+os.Getenv("PATH"))
	t.Setenv("TAGS", m.tags)
	t.Setenv("X_HARNESS", "")
	return m
}

// run with an archive, or without one, and returns the tag that the values name; empty if none.
func (m machine) run(t *testing.T, archive, words string) string {
	t.Helper()
	t.Setenv("X_HARNESS", archive)
	m.said.Reset()
	if err := run(t.Context(), m.builder, "x", strings.Fields(words)); err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`drivers-x: \{image: "docker.io/library/(.*)"\}`).FindStringSubmatch(read(t, valuesFile))
	if (named != nil) != strings.Contains(read(t, listFile), "runner-drivers-x ") {
		t.Errorf("the values and the list differ:\n%s\n%s", read(t, valuesFile), read(t, listFile))
	}
	if named == nil {
		return ""
	}
	return named[1]
}

// An image that an archive made stays in the values without the archive, until the engine has lost it.
func TestTheImageOfAnArchiveStaysWithoutIt(t *testing.T) {
	m := newMachine(t)
	if got := m.run(t, "", "core"); got != "" || !strings.Contains(m.said.String(), "runner-drivers-x is left out: X_HARNESS names no archive") {
		t.Errorf("before any archive the values name %q, and it said:\n%s", got, m.said)
	}
	made := m.run(t, "x.tar.gz", "core")
	if !strings.HasPrefix(made, "assay-runner-drivers-x:") || !strings.Contains(read(t, m.tags), made+"\n") {
		t.Fatalf("with an archive the values name %q, and the engine has:\n%s", made, read(t, m.tags))
	}
	for _, words := range []string{"core", "demo", "load core"} {
		if got := m.run(t, "", words); got != made {
			t.Errorf("%s without the archive: the values name %q, want %q", words, got, made)
		}
	}
	if m.run(t, "", "core"); !strings.Contains(m.said.String(), "runner-drivers-x stays "+made) {
		t.Errorf("that it stays is not said:\n%s", m.said)
	}
	write(t, "out/bin/linux/agent", "another\n")
	if got := m.run(t, "", "core"); got != made {
		t.Errorf("after a change of the agent the values name %q, want %q", got, made)
	}
	again := m.run(t, "x.tar.gz", "core")
	if again == made || again == "" {
		t.Errorf("with the archive again the values name %q, and before it was %q", again, made)
	}
	if got := m.run(t, "", "core"); got != again {
		t.Errorf("without it the values name %q, want the newest, %q", got, again)
	}
	write(t, m.tags, "")
	if got := m.run(t, "", "core"); got != "" || !strings.Contains(m.said.String(), "is left out") {
		t.Errorf("after the engine has lost it the values name %q, and it said:\n%s", got, m.said)
	}
}

// Neither a path that leads nowhere nor the lack of one stops what does not need the image.
func TestTheArchiveIsAskedForWhereItIsNeeded(t *testing.T) {
	m := newMachine(t)
	made := m.run(t, "x.tar.gz", "core")
	if got := m.run(t, "gone.tar.gz", "demo"); got != made {
		t.Errorf("a set without the image, and a path that leads nowhere: the values name %q, want %q", got, made)
	}
	for name, tt := range map[string]struct{ archive, words, err string }{
		"a path that leads nowhere":       {"gone.tar.gz", "core", "image runner-drivers-x: X_HARNESS=gone.tar.gz: there is no such file"},
		"its stage, and no archive":       {"", "stage runner-drivers-x", "image runner-drivers-x is made of an archive: X_HARNESS has to name it"},
		"it by name, where it is no more": {"", "core runner-drivers-x", "image runner-drivers-x is made of an archive: X_HARNESS has to name it"},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(tt.words, "core ") {
				write(t, m.tags, "")
			}
			t.Setenv("X_HARNESS", tt.archive)
			checkError(t, run(t.Context(), m.builder, "x", strings.Fields(tt.words)), tt.err)
		})
	}
}

// After clean there is no image that stays.
func TestCleanForgetsWhatArchivesMade(t *testing.T) {
	m := newMachine(t)
	i := image{Name: "runner-drivers-x", Archive: "X_HARNESS"}
	m.run(t, "x.tar.gz", "core")
	if tag, err := memory(m.cache).remembered(i); err != nil || tag == "" {
		t.Fatalf("remembered %q, %v", tag, err)
	}
	if err := run(t.Context(), m.builder, "x", []string{"clean"}); err != nil {
		t.Fatal(err)
	}
	if tag, err := memory(m.cache).remembered(i); err != nil || tag != "" {
		t.Errorf("remembered %q, %v", tag, err)
	}
}

// The digest that an archive bears is of all that its harness is built of, and of nothing else.
func TestSourcesOfDotnet(t *testing.T) {
	root := filepath.Join(t.TempDir(), "x")
	for _, path := range []string{"hack/lib.sh", "hack/versions.sh", dotnetScript, "harness/dotnet"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := copyInto(filepath.Join("..", "..", path), filepath.Join(root, path)); err != nil {
			t.Fatal(err)
		}
	}
	sources := func() (string, string) {
		script := exec.Command("bash", filepath.Join(root, dotnetScript), "sources")
		script.Env = append(os.Environ(), "ASSAY_CACHE="+t.TempDir())
		var failure bytes.Buffer
		script.Stderr = &failure
		out, err := script.Output()
		if (err != nil) != (failure.Len() > 0) {
			t.Errorf("%v, and it said: %s", err, failure.String())
		}
		return strings.TrimSpace(string(out)), failure.String()
	}
	lock := filepath.Join(root, "harness/dotnet/packages.lock.json")
	if err := os.Remove(lock); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if _, said := sources(); !strings.Contains(said, "there is no harness/dotnet/packages.lock.json") {
		t.Errorf("without a lock it says: %s", said)
	}
	write(t, lock, "{}\n")
	before, _ := sources()
	if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(before) {
		t.Fatalf("got the digest %q", before)
	}
	for _, name := range []string{"README.md", "tests/Tests.cs", "image/Dockerfile"} {
		write(t, filepath.Join(root, "harness/dotnet", name), "changed\n")
	}
	if after, _ := sources(); after != before {
		t.Errorf("a change of what is not built changes the digest from %s to %s", before, after)
	}
	for _, name := range []string{"Main.cs", "core/Run.cs", "ado/Provider.cs", "net10/Batches.cs", "providers/Catalogue.cs", "harness.csproj", "Directory.Build.props", "packages.lock.json"} {
		write(t, filepath.Join(root, "harness/dotnet", name), "changed\n")
		after, _ := sources()
		if after == before {
			t.Errorf("a change of %s leaves the digest as it is", name)
		}
		before = after
	}
}

// The image of .NET is made of a harness that speaks the protocol of the agent.
func TestTheImageOfDotnetAsksByTheProtocol(t *testing.T) {
	if text := read(t, "../../harness/dotnet/image/Dockerfile"); !strings.Contains(text, `"do": "hello", "protocol": "`+drivers.Protocol+`"`) {
		t.Errorf("it does not say hello by %s", drivers.Protocol)
	}
}
