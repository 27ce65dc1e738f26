// Package config is the operator's own configuration: the catalogue of images and
// the limits of every wait. The chart renders it from its values into a ConfigMap;
// the manager reads it once, at its start.
package config

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// Config of the operator.
type Config struct {
	// Agent is the image that brings the agent into database pods.
	Agent Image `json:"agent"`
	// Runners are the images of the client pods, by the name of the runner.
	Runners map[string]Image `json:"runners"`
	// Engines is the engine catalogue: flavor, then version, to image.
	Engines map[string]map[string]Image `json:"engines"`
	// Limits of the waits.
	Limits Limits `json:"limits"`
}

// Image of a container.
type Image struct {
	// Image reference, best by digest.
	Image string `json:"image"`
}

// Limits are how long the operator waits for something before it gives up with a
// typed failure. All are positive.
type Limits struct {
	// PodCreation: from a workload object to its pod. Default 1m.
	PodCreation metav1.Duration `json:"podCreation"`
	// Scheduling: from an unschedulable pod to its node. Default 5m.
	Scheduling metav1.Duration `json:"scheduling"`
	// ImagePull: how long errors of a pull are borne, from the scheduling of the
	// pod. Default 2m.
	ImagePull metav1.Duration `json:"imagePull"`
	// PodStart: from the scheduling of a pod to its running containers, the pull
	// of the image included. Default 15m.
	PodStart metav1.Duration `json:"podStart"`
	// TargetReady: from the creation of a target to its first accepted login.
	// Default 20m.
	TargetReady metav1.Duration `json:"targetReady"`
	// Load: how long loading one target may take. Default 12h.
	Load metav1.Duration `json:"load"`
	// Cleanup: how long dropping the tables of an external target may take.
	// Default 10m.
	Cleanup metav1.Duration `json:"cleanup"`
	// Queue: how long a run may wait for nodes that other runs use. Default 168h.
	Queue metav1.Duration `json:"queue"`
	// Reset: how long restoring the snapshot of a data directory may take. Default 1h.
	Reset metav1.Duration `json:"reset"`
	// TrialGrace: what a trial may take beyond the start of its pod, its warm-up
	// and its duration. Default 2m.
	TrialGrace metav1.Duration `json:"trialGrace"`
}

// Default is the configuration before a file is read: the limits, and no images.
func Default() Config {
	d := func(v time.Duration) metav1.Duration { return metav1.Duration{Duration: v} }
	return Config{Limits: Limits{
		PodCreation: d(time.Minute), Scheduling: d(5 * time.Minute), ImagePull: d(2 * time.Minute),
		PodStart: d(15 * time.Minute), TargetReady: d(20 * time.Minute), Load: d(12 * time.Hour),
		Cleanup: d(10 * time.Minute), Queue: d(7 * 24 * time.Hour), Reset: d(time.Hour), TrialGrace: d(2 * time.Minute),
	}}
}

// Load reads a file on top of Default. An unknown field is an error.
func Load(path string) (Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("reading the operator's configuration: %w", err)
	}
	return Parse(data)
}

// Parse reads YAML on top of Default and checks it.
func Parse(data []byte) (Config, error) {
	c := Default()
	if err := yaml.UnmarshalStrict(data, &c); err != nil {
		return Config{}, fmt.Errorf("the operator's configuration is not valid: %w", err)
	}
	return c, c.check()
}

func (c Config) check() error {
	if c.Agent.Image == "" {
		return fmt.Errorf("agent.image is missing: name the image that holds the agent")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Runners)) {
		if c.Runners[name].Image == "" {
			return fmt.Errorf("runners.%s.image is missing", name)
		}
	}
	for flavor, versions := range c.Engines {
		for version, image := range versions {
			if image.Image == "" {
				return fmt.Errorf("engines.%s[%q].image is missing", flavor, version)
			}
		}
	}
	for name, v := range map[string]metav1.Duration{
		"podCreation": c.Limits.PodCreation, "scheduling": c.Limits.Scheduling, "imagePull": c.Limits.ImagePull,
		"podStart": c.Limits.PodStart, "targetReady": c.Limits.TargetReady, "load": c.Limits.Load,
		"cleanup": c.Limits.Cleanup, "queue": c.Limits.Queue, "reset": c.Limits.Reset, "trialGrace": c.Limits.TrialGrace,
	} {
		if v.Duration <= 0 {
			return fmt.Errorf("limits.%s must be greater than 0, such as 2m", name)
		}
	}
	return nil
}

// Versions of a flavor in the catalogue, sorted, for messages.
func (c Config) Versions(flavor string) string {
	v := slices.Sorted(maps.Keys(c.Engines[flavor]))
	if len(v) == 0 {
		return "none"
	}
	return strings.Join(v, ", ")
}
