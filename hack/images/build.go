package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// builder makes images; it runs in the root of the repository.
type builder struct {
	engine engine
	progress
	// cache is the folder for logs and build contexts.
	cache string
}

// chain are the images of one base.
type chain struct {
	base   string
	images []image
}

// missing are the images that the engine lacks, by base, in the order of the table.
func missing(images []image, present []string) []chain {
	var out []chain
	for _, i := range images {
		if slices.Contains(present, i.Tag) {
			continue
		}
		at := slices.IndexFunc(out, func(c chain) bool { return c.base == i.Base })
		if at < 0 {
			at = len(out)
			out = append(out, chain{base: i.Base})
		}
		out[at].images = append(out[at].images, i)
	}
	return out
}

// buildAll builds chains in parallel, each image of a chain in sequence by one: downloads of one
// Debian release overlap with the unpacking of another.
func (b builder) buildAll(ctx context.Context, chains []chain, one func(context.Context, image) error) error {
	if len(chains) == 0 {
		return nil
	}
	var names []string
	for _, c := range chains {
		for _, i := range c.images {
			names = append(names, i.key())
		}
	}
	done := b.step("images: building " + strings.Join(names, " "))
	// Before the chains start: two must not run apt at once.
	if err := script(ctx, "hack/install-debian.sh", "image"); err != nil {
		return err
	}
	b.engine.chooseBuilder(ctx)
	failures := make([]error, len(chains))
	var jobs sync.WaitGroup
	for n, c := range chains {
		jobs.Go(func() { failures[n] = b.buildChain(ctx, c, one) })
	}
	jobs.Wait()
	done()
	return errors.Join(failures...)
}

func (b builder) buildChain(ctx context.Context, c chain, one func(context.Context, image) error) error {
	if c.base != "" {
		done := b.underway("base image "+c.base, "")
		err := script(ctx, baseRecipe, c.images[0].Pinned)
		done()
		if err != nil {
			return fmt.Errorf("base image %s: %w", c.base, err)
		}
	}
	for _, i := range c.images {
		if err := one(ctx, i); err != nil {
			return fmt.Errorf("image %s: %w", i.key(), err)
		}
	}
	return nil
}

// build an image under its tag.
func (b builder) build(ctx context.Context, i image) error {
	start := time.Now()
	if err := b.docker(ctx, i, "--tag", i.Tag); err != nil {
		return err
	}
	size, err := b.engine.megabytes(ctx, i.Tag)
	if err != nil {
		return err
	}
	b.say("%s: %.1f MB in %s", i.Tag, size, since(start))
	return nil
}

// docker runs the Dockerfile of an image, with arguments that say what is made of it.
func (b builder) docker(ctx context.Context, i image, args ...string) error {
	log := filepath.Join(b.cache, i.file()+".log")
	file, err := os.Create(log)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // a log
	defer b.underway("image "+i.key(), log)()
	folder, err := os.MkdirTemp(b.cache, "context.")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // what stays costs room in the cache only
	if err := layContext(ctx, i, folder); err != nil {
		return err
	}
	recipe, err := os.ReadFile(i.Folder + "/Dockerfile")
	if err != nil {
		return err
	}
	if err := b.engine.build(ctx, i, withoutDigests(string(recipe)), folder, file, args...); err != nil {
		return fmt.Errorf("docker build: %w\n%s(whole log: %s)", err, lastLines(log, 30), log)
	}
	return nil
}

// layContext copies the inputs of an image's build into a folder, and unpacks its archive beside them.
func layContext(ctx context.Context, i image, folder string) error {
	for _, input := range i.Inputs {
		from, to, err := i.input(ctx, input)
		if err != nil {
			return fmt.Errorf("no %s for its build: %w", input, err)
		}
		if err := copyInto(from, filepath.Join(folder, to)); err != nil {
			return err
		}
		for _, tests := range testsOf(from) {
			if err := os.RemoveAll(filepath.Join(folder, to, tests)); err != nil {
				return err
			}
		}
	}
	if i.Given == "" {
		return nil
	}
	return i.unpack(filepath.Join(folder, harnessName), runtime.GOARCH)
}

// input is where an input of an image lies, and what it is called in the build context.
func (i image) input(ctx context.Context, input string) (from, to string, err error) {
	switch {
	case input == "jars":
		from, err = printed(ctx, "hack/maven.sh", i.file())
		return from, "jars", err
	case input == "program":
		from, err = printed(ctx, programScript, i.Folder)
		return from, input, err
	case input == "versitygw":
		from, err = printed(ctx, "hack/tool.sh", "versitygw")
		return filepath.Join(from, "versitygw"), "versitygw", err
	case input == "prometheus":
		from, err = printed(ctx, monitoringScript, "prometheus")
		return from, input, err
	case input == "prometheus-operator":
		from, err = printed(ctx, monitoringScript, "operator")
		return from, input, err
	case input == "fetched":
		from, err = printed(ctx, i.Folder+"/fetch.sh")
		return from, "fetched", err
	case strings.HasPrefix(input, "hack/tools/"):
		name := filepath.Base(input)
		from, err = printed(ctx, "hack/tool.sh", name)
		return filepath.Join(from, name), name, err
	case strings.HasPrefix(input, "test/cmd/"):
		name := filepath.Base(input)
		from = filepath.Join(binaries, name)
		return from, name, compile(ctx, input, from)
	case strings.Contains(input, "/"):
		return input, filepath.Base(input), nil
	default:
		return filepath.Join(binaries, input), input, nil
	}
}

// compile a static program of the repository for Linux, with the flags of the Makefile.
func compile(ctx context.Context, folder, to string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false", "-ldflags", "-s -w", "-o", to, "./"+folder)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling %s: %w: %s", folder, err, bytes.TrimSpace(out))
	}
	return nil
}

// copyInto copies a file or a folder with its modes and links.
func copyInto(from, to string) error {
	out, err := exec.Command("cp", "--recursive", "--no-target-directory", from, to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("copying %s: %w: %s", from, err, bytes.TrimSpace(out))
	}
	return nil
}

// script runs a script of the repository; what it writes is for the user.
func script(ctx context.Context, path string, args ...string) error {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}

// printed runs a script that prints the path of what it provides.
func printed(ctx context.Context, path string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// lastLines of a log, for a message.
func lastLines(path string, n int) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error() + "\n"
	}
	lines := strings.SplitAfter(strings.TrimRight(string(data), "\n")+"\n", "\n")
	lines = lines[:len(lines)-1]
	return strings.Join(lines[max(0, len(lines)-n):], "")
}
