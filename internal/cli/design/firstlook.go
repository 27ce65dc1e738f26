package design

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// FirstLook is a manifest of a run that compares servers, such as mysql:8.4, with the first of them, and leaves the sizes to the manager.
// Trials go on until the time is over; of one server there are three. What the API server would refuse is an error.
func FirstLook(targets []string, tool string, within time.Duration) (string, error) {
	servers, err := serversOf(targets)
	if err != nil {
		return "", err
	}
	if len(servers) == 0 {
		return "", errors.New("name a server, such as mysql:8.4, or two to compare")
	}
	with, err := toolOf(tool)
	if err != nil {
		return "", err
	}
	warmup, duration := 2*time.Second, 5*time.Second
	if with.MeasuresOften() {
		warmup, duration = shortWarmup, shortDuration
	}
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("apiVersion: assay.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {generateName: try-}\nspec:\n  targets:")
	for _, s := range servers {
		config := ""
		if len(s.Settings) > 0 {
			var list []string
			for _, set := range s.Settings {
				list = append(list, quoted(set.Name)+": "+quoted(set.Value))
			}
			config = ", config: {" + strings.Join(list, ", ") + "}"
		}
		p("  - name: %s\n    mysql: {flavor: %s, version: %s%s}", quoted(s.Name), quoted(s.Flavor), quoted(s.Version), config)
	}
	p("  workload:\n    %s", workload(with, 0))
	if len(servers) == 1 {
		p("  design: {blocks: 3, warmup: %s, duration: %s}", durationText(warmup), durationText(duration))
	} else {
		p("  design: {within: %s, warmup: %s, duration: %s}", durationText(within), durationText(warmup), durationText(duration))
		p("  analysis: {comparisons: [{factor: target, baseline: %s}]}", quoted(servers[0].Name))
	}
	run, err := runIn([]byte(b.String()))
	if err == nil {
		_, err = planOf(run)
	}
	if err != nil {
		return "", fmt.Errorf("the arguments make no valid run: %w", err)
	}
	return b.String(), nil
}
