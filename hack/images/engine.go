package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// engine is the container engine, by its command line: the one interface that every engine of
// this kind has.
type engine struct {
	// env of the builds: which builder is there.
	env []string
}

// node of the kind cluster; role is control-plane or worker.
type node struct{ name, role string }

// output runs docker and returns what it writes to its standard output.
func (e engine) output(ctx context.Context, args ...string) (string, error) {
	var out, failure bytes.Buffer
	cmd := exec.CommandContext(ctx, "docker", args...)
	cmd.Env = append(os.Environ(), e.env...)
	cmd.Stdout, cmd.Stderr = &out, &failure
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("docker %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(failure.String()))
	}
	return out.String(), nil
}

// tags are the references that the engine has of the images' repositories, newest first.
func (e engine) tags(ctx context.Context, images []image) ([]string, error) {
	args := []string{"image", "ls", "--format", "{{.Repository}}:{{.Tag}}"}
	for _, i := range images {
		args = append(args, "--filter=reference="+i.repository())
	}
	out, err := e.output(ctx, args...)
	return strings.Fields(out), err
}

// chooseBuilder sets the environment of builds. A client without the BuildKit plugin uses the
// classic builder; the Dockerfiles work with both.
func (e *engine) chooseBuilder(ctx context.Context) {
	e.env = []string{"BUILDX_NO_DEFAULT_ATTESTATIONS=1"}
	if _, err := e.output(ctx, "buildx", "version"); err != nil {
		e.env = append(e.env, "DOCKER_BUILDKIT=0")
	}
}

// build runs a Dockerfile, with further arguments that say what is made of it; log receives all
// that the builder writes.
func (e engine) build(ctx context.Context, i image, dockerfile, folder string, log io.Writer, more ...string) error {
	// Beside the inputs it would be one of them.
	recipe := folder + ".Dockerfile"
	if err := os.WriteFile(recipe, []byte(dockerfile), 0o644); err != nil {
		return err
	}
	defer func() { _ = os.Remove(recipe) }() // what stays costs room in the cache only
	// The host's network: the bridge of an engine inside a virtual machine may have no way out.
	args := []string{"build", "--force-rm", "--network=host", "--file", recipe}
	if i.Series != "" { // one Dockerfile may serve several series
		args = append(args, "--build-arg", "BASE="+i.Base, "--build-arg", "SERIES="+i.Series)
	}
	cmd := exec.CommandContext(ctx, "docker", append(append(args, more...), folder)...)
	cmd.Env = append(os.Environ(), e.env...)
	cmd.Stdout, cmd.Stderr = log, log
	return cmd.Run()
}

// megabytes of an image, uncompressed.
func (e engine) megabytes(ctx context.Context, tag string) (float64, error) {
	out, err := e.output(ctx, "image", "inspect", "--format", "{{.Size}}", tag)
	if err != nil {
		return 0, err
	}
	var size float64
	_, err = fmt.Sscan(out, &size)
	return size / 1e6, err
}

// nodes of the kind cluster; none when there is no cluster.
func (e engine) nodes(ctx context.Context, cluster string) ([]node, error) {
	out, err := e.output(ctx, "ps", "--filter", "label=io.x-k8s.kind.cluster="+cluster,
		"--format", `{{.Names}} {{.Label "io.x-k8s.kind.role"}}`)
	var all []node
	for line := range strings.Lines(out) {
		name, role, _ := strings.Cut(strings.TrimSpace(line), " ")
		all = append(all, node{name, role})
	}
	return all, err
}

// nodeImages are the references that a node has.
func (e engine) nodeImages(ctx context.Context, name string) ([]string, error) {
	out, err := e.output(ctx, "exec", name, "ctr", "--namespace=k8s.io", "images", "ls", "--quiet")
	return strings.Fields(out), err
}

// removeFromNode removes one reference of a node.
func (e engine) removeFromNode(ctx context.Context, name, reference string) error {
	_, err := e.output(ctx, "exec", name, "ctr", "--namespace=k8s.io", "images", "rm", reference)
	return err
}

// copyToNode loads images of the engine into a node.
func (e engine) copyToNode(ctx context.Context, name string, tags []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var failure bytes.Buffer
	save := exec.CommandContext(ctx, "docker", append([]string{"save"}, tags...)...)
	load := exec.CommandContext(ctx, "docker", "exec", "--interactive", name, "ctr", "--namespace=k8s.io",
		"images", "import", "--all-platforms", "--digests", "--snapshotter=overlayfs", "-")
	save.Stderr, load.Stderr = &failure, os.Stderr
	stream, err := save.StdoutPipe()
	if err != nil {
		return err
	}
	load.Stdin = stream
	if err := save.Start(); err != nil {
		return fmt.Errorf("docker save: %w", err)
	}
	if err := load.Run(); err != nil {
		cancel() // nobody reads any more
		_ = save.Wait()
		return fmt.Errorf("importing images: %w: %s", err, strings.TrimSpace(failure.String())) // it may have got none
	}
	if err := save.Wait(); err != nil {
		return fmt.Errorf("docker save: %w: %s", err, strings.TrimSpace(failure.String()))
	}
	return nil
}
