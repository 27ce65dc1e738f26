package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// tableFile is the table of images.
const tableFile = "hack/images/images.yaml"

func main() {
	cache := flag.String("cache", "", "folder for logs and build contexts")
	cluster := flag.String("cluster", "assay", "name of the kind cluster")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	b := builder{progress: progress{out: os.Stderr, folder: os.Getenv("ASSAY_PROGRESS")}, cache: *cache}
	words, err := flag.Args(), error(nil)
	switch {
	case len(words) > 0 && words[0] == "publish":
		err = publish(ctx, b.publish, words[1:])
	case len(words) > 0 && words[0] == "publish-built":
		err = publish(ctx, b.publishBuilt, words[1:])
	default:
		err = run(ctx, b, *cluster, words)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

// actions that may be asked for alone. Without one, images are built, pruned and loaded.
var actions = []string{"build", "load", "prune", "clean", "stage"}

// run takes [action] [set|name...], without a set the set core.
func run(ctx context.Context, b builder, cluster string, words []string) error {
	if b.cache == "" {
		return fmt.Errorf("-cache is missing: run hack/images.sh")
	}
	action := ""
	if len(words) > 0 && slices.Contains(actions, words[0]) {
		action, words = words[0], words[1:]
	}
	table, err := readTable(tableFile)
	if err != nil {
		return err
	}
	if action == "clean" {
		return b.clean(ctx, table)
	}
	all, err := memory(b.cache).given(ctx, table, words, os.Getenv)
	if err != nil {
		return err
	}
	chosen, isSet, err := choose(all, words)
	if err != nil {
		return err
	}
	if chosen, err = obtainable(ctx, b, chosen, words, action == "stage"); err != nil {
		return err
	}
	if action == "stage" {
		return b.printStages(ctx, chosen, os.Stdout)
	}
	if err := setTags(".", chosen); err != nil {
		return err
	}
	if err := b.act(ctx, action, cluster, chosen, all); err != nil || !isSet {
		return err
	}
	return b.writeValues(ctx, cluster, chosen, all)
}

// publish takes REPOSITORY VERSION [set|name...], and publishes the images by do.
func publish(ctx context.Context, do func(context.Context, string, string, []image) error, words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("usage: publish|publish-built REPOSITORY VERSION [set|name...]")
	}
	all, err := readTable(tableFile)
	if err != nil {
		return err
	}
	chosen, _, err := choose(all, words[2:])
	if err != nil {
		return err
	}
	for _, i := range chosen {
		if slices.Contains(words[2:], i.key()) && !i.isPublished() {
			return i.refusePublishing()
		}
	}
	return do(ctx, words[0], words[1], chosen)
}

// act does one action, or without one all of them. Nodes follow what prune left, so they are
// last.
func (b builder) act(ctx context.Context, action, cluster string, chosen, all []image) error {
	if action == "" || action == "build" {
		present, err := b.engine.tags(ctx, all)
		if err != nil {
			return err
		}
		if err := b.buildAll(ctx, missing(chosen, present), b.build); err != nil {
			return err
		}
		if err := memory(b.cache).remember(chosen); err != nil {
			return err
		}
	}
	if action == "" || action == "prune" {
		if err := b.prune(ctx, chosen); err != nil {
			return err
		}
	}
	if action == "" || action == "load" {
		return b.load(ctx, cluster, chosen, all)
	}
	return nil
}

// writeValues writes the values for Helm and the list of images, of the set and of what is there.
func (b builder) writeValues(ctx context.Context, cluster string, chosen, all []image) error {
	if err := setTags(".", all); err != nil {
		return err
	}
	present, err := b.presentEverywhere(ctx, cluster, all)
	if err != nil {
		return err
	}
	gone, err := b.unreachable(ctx, cluster)
	if err != nil {
		return err
	}
	here := available(all, chosen, present)
	if err := replace(valuesFile, values(all, here, gone)); err != nil {
		return err
	}
	return replace(listFile, list(here))
}
