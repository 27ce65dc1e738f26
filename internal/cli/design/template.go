package design

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/ground/apischema"
	"github.com/assay-bench/assay/runners/runner"
)

// plainText needs no quotes in YAML, and is a string there.
var plainText = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// notStrings are plain texts that YAML reads as something else.
var notStrings = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null)$`)

// quoted text for YAML.
func quoted(text string) string {
	if plainText.MatchString(text) && !notStrings.MatchString(text) {
		return text
	}
	data, err := json.Marshal(text) // a string of JSON is one of YAML
	if err != nil {
		panic(fmt.Sprintf("a text is a string of JSON: %v", err))
	}
	return string(data)
}

const (
	// usualBlocks of a run that needs no more.
	usualBlocks = 10
	// mostBlocks of a run.
	mostBlocks = 100
)

// Times of a tool that makes many measurements in each trial, unless they are given.
const shortWarmup, shortDuration = time.Second, 3 * time.Second

// manifest of the draft, checked and planned, with what the plan warns of.
func (d *draft) manifest(given func(flag string) bool) (text string, warnings []string, err error) {
	servers, err := serversOf(d.targets)
	if err != nil {
		return "", nil, err
	}
	if err := d.fit(given); err != nil {
		return "", nil, err
	}
	if given("minimum-effect") && len(servers) < 2 {
		return "", nil, errors.New("--minimum-effect: one server is compared with nothing: give a second --target")
	}
	blocks := cmp.Or(d.blocks, usualBlocks)
	// With the longest deadline the plan says how long it takes, and how many blocks it needs.
	doc, err := d.planned(servers, blocks, 720*time.Hour)
	if err != nil {
		return "", nil, err
	}
	if a := doc.Analysis; a != nil && d.blocks == 0 && int(a.BlocksNeeded) > blocks {
		blocks = min(int(a.BlocksNeeded)+int(a.BlocksNeeded)%2, mostBlocks) // pairs of blocks balance the order
		if doc, err = d.planned(servers, blocks, 720*time.Hour); err != nil {
			return "", nil, err
		}
	}
	deadline := deadlineFor(doc)
	if doc, err = d.planned(servers, blocks, deadline); err != nil {
		return "", nil, err
	}
	text, err = d.text(servers, blocks, deadline, doc)
	return text, doc.Warnings, err
}

// fit the times and the threads to the tool.
func (d *draft) fit(given func(flag string) bool) error {
	tool, err := toolOf(d.tool)
	if err != nil {
		return err
	}
	if tool.MeasuresOften() && !given("warmup") {
		d.warmup = shortWarmup
	}
	if tool.MeasuresOften() && !given("duration") {
		d.duration = shortDuration
	}
	schema, err := apischema.ForTool(d.tool)
	if err != nil {
		return err
	}
	if _, has := schema.Field("threads"); has {
		if !given("threads") {
			d.threads, err = threadsFor(d.targetShape)
		}
		return err
	}
	if given("threads") {
		return fmt.Errorf("--threads: %s has no threads", d.tool)
	}
	d.threads = 0
	return nil
}

// threadsFor servers of a shape: no more than its CPUs, because a run whose server uses up its limit measures the limit.
func threadsFor(shape string) (int, error) {
	given, err := inlineShape("target-shape", shape)
	if err != nil || given == nil {
		return 16, err
	}
	cpus, err := resource.ParseQuantity(given["cpu"])
	return int(max(cpus.MilliValue()/1000, 1)), err
}

// workload of a tool with the threads, where it has some.
func workload(tool runner.Runner, threads int) string {
	sample := tool.Design.Sample
	if threads != 0 {
		sample = fmt.Sprintf("{threads: %d, %s", threads, strings.TrimPrefix(sample, "{"))
	}
	return tool.Name + ": " + sample
}

// deadlineFor a plan: half as long again as it takes at least, and two hours for pods and loading, in whole hours.
func deadlineFor(doc output.Plan) time.Duration {
	hours := math.Ceil(doc.LeastSeconds*1.5/3600) + 2
	return time.Duration(min(hours, 720)) * time.Hour
}

// planned is what a manifest of the draft does.
func (d *draft) planned(servers []server, blocks int, deadline time.Duration) (output.Plan, error) {
	text, err := d.text(servers, blocks, deadline, output.Plan{})
	if err != nil {
		return output.Plan{}, err
	}
	run, err := runIn([]byte(text))
	if err != nil {
		return output.Plan{}, fmt.Errorf("the flags make no valid run: %w", err)
	}
	return planOf(run)
}

// text of the manifest.
func (d *draft) text(servers []server, blocks int, deadline time.Duration, doc output.Plan) (string, error) {
	tool, err := toolOf(d.tool)
	if err != nil {
		return "", err
	}
	targetShape, err := shapeOf("target-shape", d.targetShape)
	if err != nil {
		return "", err
	}
	clientShape, err := shapeOf("client-shape", d.clientShape)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# Made by kubectl assay new. kubectl assay plan -f FILE says what it does, kubectl assay run -f FILE starts it, and")
	p("# kubectl assay explain FIELD, such as design.dataReset, says what a field means.")
	if doc.Message != "" {
		p("# %s.", doc.Message)
	}
	p("apiVersion: assay.dev/v1alpha1\nkind: BenchmarkRun\nmetadata:")
	if strings.HasSuffix(d.name, "-") {
		p("  generateName: %s", quoted(d.name))
	} else {
		p("  name: %s", quoted(d.name))
	}
	p("spec:\n  # Each target is a server of its own. They are measured one at a time.\n  targets:")
	for i, s := range servers {
		p("  - name: %s", quoted(s.Name))
		if i == 0 {
			p("    # The machine: the name of an InstanceShape (kubectl get instanceshapes lists them, kubectl assay shapes suggests")
			p("    # some), or cpu and memory inline, which takes the right to create pods.")
		}
		p("    shape: %s\n    mysql:\n      flavor: %s\n      version: %s", targetShape, quoted(s.Flavor), quoted(s.Version))
		if i == 0 {
			p("      # Settings of the server. Without any, Assay sizes caches by the shape. What differs between the targets and is")
			p("      # known to matter, such as durability, is named beside the verdict.")
		}
		switch {
		case len(s.Settings) > 0:
			p("      config:")
			for _, setting := range s.Settings {
				p("        %s: %s", quoted(setting.Name), quoted(setting.Value))
			}
		case i == 0:
			p("      # config: {innodb_flush_log_at_trx_commit: \"1\"}")
		}
		p("      storage: {size: %s}", quoted(d.storage))
	}
	p("  # The pods that make the load, on other nodes than the targets.\n  clients:\n    shape: %s", clientShape)
	p("  workload:\n    %s", workload(tool, d.threads))
	if d.threads != 0 {
		p("  # To measure several loads: every combination of the values is a cell, which is measured in every block.")
		p("  # matrix: [{name: threads, values: [1, 16, 64]}]")
	}
	p("  design:\n    # Each block measures every target once, in random order.\n    blocks: %d\n    warmup: %s\n    duration: %s", blocks, durationText(d.warmup), durationText(d.duration))
	p("    # PerTrial puts the loaded data back before each trial, which takes time and twice the space.\n    # dataReset: PerTrial")
	if len(servers) > 1 {
		p("  # Declared before the data: without a comparison there is no verdict.\n  analysis:\n    # The smallest difference that matters to you.\n    minimumEffect: %s", quoted(d.minimumEffect))
		p("    comparisons: [{factor: target, baseline: %s}]", quoted(servers[0].Name))
	}
	p("  # A run that has not ended by then fails. It counts from the moment that it has its nodes.\n  deadline: %s", durationText(deadline))
	return b.String(), nil
}

// durationText is a duration as YAML has it, without parts that are 0, such as 1h50m.
func durationText(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
