package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// registry is what containerd makes of a name without one.
const registry = "docker.io/library/"

const worker = "worker"

// workers are the nodes that pods of runs go to: all, where the control plane is the only node.
func workers(nodes []node) []node {
	var out []node
	for _, n := range nodes {
		if n.role == worker {
			out = append(out, n)
		}
	}
	if len(out) == 0 {
		return nodes
	}
	return out
}

// unmeasured are the images of what runs off the nodes that are measured.
var unmeasured = []string{"manager", "tool-versitygw", "tool-monitoring", "tool-flux"}

// belongs reports whether a node gets an image: all nodes get what is not measured, and databases
// and clients are only on workers.
func belongs(i image, n node, nodes []node) bool {
	return slices.Contains(unmeasured, i.Name) || slices.Contains(workers(nodes), n)
}

// lacking are the tags that a node has to get. there are the references that it has.
func lacking(images []image, n node, nodes []node, there []string) []string {
	var out []string
	for _, i := range images {
		if belongs(i, n, nodes) && !slices.Contains(there, registry+i.Tag) {
			out = append(out, i.Tag)
		}
	}
	return out
}

// pruned are the references of a node to images of the table that the engine no longer has.
func pruned(images []image, there, engineTags []string) []string {
	var out []string
	for _, reference := range there {
		tag, ours := strings.CutPrefix(reference, registry)
		repository, _, _ := strings.Cut(tag, ":")
		ours = ours && slices.ContainsFunc(images, func(i image) bool { return i.repository() == repository })
		if ours && !slices.Contains(engineTags, tag) {
			out = append(out, reference)
		}
	}
	return out
}

// load brings the chosen images into the nodes that lack them. all is the whole table.
func (b builder) load(ctx context.Context, cluster string, chosen, all []image) error {
	nodes, err := b.engine.nodes(ctx, cluster)
	if err != nil {
		return err
	}
	if len(nodes) == 0 {
		b.say("no kind cluster %q runs: nothing to load into", cluster)
		return nil
	}
	failures := make([]error, len(nodes))
	var jobs sync.WaitGroup
	for at, n := range nodes {
		jobs.Go(func() {
			if err := b.loadNode(ctx, n, nodes, chosen, all); err != nil {
				failures[at] = fmt.Errorf("node %s: %w", n.name, err)
			}
		})
	}
	jobs.Wait()
	return errors.Join(failures...)
}

// loadNode loads what the node lacks and removes from it what the engine has pruned.
func (b builder) loadNode(ctx context.Context, n node, nodes []node, chosen, all []image) error {
	start := time.Now()
	there, err := b.engine.nodeImages(ctx, n.name)
	if err != nil {
		return err
	}
	tags := lacking(chosen, n, nodes, there)
	if len(tags) == 0 {
		return nil
	}
	done := b.underway("loading images into "+n.name, "")
	err = b.engine.copyToNode(ctx, n.name, tags)
	done()
	if err != nil {
		return err
	}
	b.say("%s: %s in %s", n.name, strings.Join(tags, " "), since(start))
	here, err := b.engine.tags(ctx, all)
	if err != nil {
		return err
	}
	for _, reference := range pruned(all, there, here) {
		if err := b.engine.removeFromNode(ctx, n.name, reference); err != nil {
			return err
		}
	}
	return nil
}

// presentEverywhere are the tags that all workers have, or without a cluster the engine.
func (b builder) presentEverywhere(ctx context.Context, cluster string, all []image) ([]string, error) {
	nodes, err := b.engine.nodes(ctx, cluster)
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		return b.engine.tags(ctx, all)
	}
	lists := make([][]string, 0, len(nodes))
	for _, n := range workers(nodes) {
		there, err := b.engine.nodeImages(ctx, n.name)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", n.name, err)
		}
		lists = append(lists, there)
	}
	return inAll(lists), nil
}

// inAll are the references that all lists have, without the registry.
func inAll(lists [][]string) []string {
	var out []string
	for _, reference := range lists[0] {
		tag, ours := strings.CutPrefix(reference, registry)
		if ours && !slices.ContainsFunc(lists, func(l []string) bool { return !slices.Contains(l, reference) }) {
			out = append(out, tag)
		}
	}
	return out
}
