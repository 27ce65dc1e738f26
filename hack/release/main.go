// Command release names images by digest in the values of the chart, for a chart that is
// published. In: out/published.txt with our own images, charts/assay/values.yaml, and the
// registries of the servers' images, which docker buildx asks. Out: the same values.yaml with
// digests. A reference whose digest is not known is an error.
//
//	go run ./hack/release VALUES PUBLISHED
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: release VALUES PUBLISHED")
	}
	values, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	list, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	pinned, err := pin(string(values), published(string(list)), digestOf)
	if err != nil {
		return err
	}
	return os.WriteFile(args[0], []byte(pinned), 0o644)
}

// published reads lines of a name and a reference.
func published(list string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(list) {
		if f := strings.Fields(line); len(f) == 2 {
			out[f[0]] = f[1]
		}
	}
	return out
}

// digestOf asks the registry for the digest of an image: of its index, if it has several
// architectures.
func digestOf(reference string) (string, error) {
	out, err := exec.Command("docker", "buildx", "imagetools", "inspect", reference, "--format", "{{.Manifest.Digest}}").Output()
	digest := strings.TrimSpace(string(out))
	if err != nil || !strings.HasPrefix(digest, "sha256:") {
		return "", fmt.Errorf("asking for the digest of %s: %w (%q)", reference, err, digest)
	}
	return digest, nil
}
