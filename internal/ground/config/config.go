// Package config is the operator's own configuration: the catalogue of images, the timeouts, the limits, what pods may
// use, and the bounds of the queue. In: a YAML file, which the chart renders from its values. Out: a Config, read once
// at the start of the manager. Unknown fields, missing images, timeouts that are not positive and limits out of their
// range are refused.
package config

import (
	"errors"
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
	// Agent of the pods of runs.
	Agent Agent `json:"agent"`
	// Runners are the images of the client pods, by the name of the runner.
	Runners map[string]Image `json:"runners"`
	// Engines is the engine catalogue: flavor, then version, to image.
	Engines map[string]map[string]Image `json:"engines"`
	// Timeouts of the operator.
	Timeouts Timeouts `json:"timeouts"`
	// Limits of a run.
	Limits Limits `json:"limits"`
	// Results is where results go, and how much of etcd they may take.
	Results Results `json:"results"`
	// Queue for nodes.
	Queue Queue `json:"queue"`
	// Pods is what the pods of runs may use beside CPU and memory.
	Pods Pods `json:"pods"`
	// Shapes inside of runs.
	Shapes Shapes `json:"shapes"`
	// Notifications about runs, and to whom they are sent.
	Notifications Notifications `json:"notifications"`
	// Registries that may be asked for the digests of tags.
	Registries Registries `json:"registries"`
}

// Image of a container.
type Image struct {
	// Image reference, best by digest.
	Image string `json:"image"`
}

// Timeouts are the timeouts of the operator. A wait that exceeds its timeout fails with a reason
// of its own. All are positive.
type Timeouts struct {
	// PodCreation: from a pod owner (StatefulSet, Job) to its pod. Default 1m.
	PodCreation metav1.Duration `json:"podCreation"`
	// Scheduling: from an unschedulable pod to its node. Default 5m.
	Scheduling metav1.Duration `json:"scheduling"`
	// ImagePull: time for retries of a failed image pull, from the scheduling of the pod. Default 2m.
	ImagePull metav1.Duration `json:"imagePull"`
	// PodStart: from the scheduling of a pod to its running containers, the pull of the image included. Default 15m.
	PodStart metav1.Duration `json:"podStart"`
	// TargetReady: from the creation of a target to its first accepted login, and from that of a run, or from the end of its
	// suspension, to something ready behind the Services of its targets, and to VolumeSnapshots that are ready to use. Default 20m.
	TargetReady metav1.Duration `json:"targetReady"`
	// Load: loading the data of one target. Default 12h.
	Load metav1.Duration `json:"load"`
	// Cleanup: dropping the tables of an external target. Default 10m.
	Cleanup metav1.Duration `json:"cleanup"`
	// Queue: waiting for nodes that other runs use. Default 168h.
	Queue metav1.Duration `json:"queue"`
	// Reset: restoring the snapshot of a data directory. Default 1h.
	Reset metav1.Duration `json:"reset"`
	// TrialGrace: time of a trial in addition to the start of its pod, its warm-up and its duration. Default 2m.
	TrialGrace metav1.Duration `json:"trialGrace"`
	// Upload: bringing the archives of a trial to the object store, and finding them there. Default 10m, at most 24h.
	Upload metav1.Duration `json:"upload"`
}

// maxUpload bounds how long an URL allows an upload.
const maxUpload = 24 * time.Hour

// Default is the configuration without a file: the defaults, and no images.
func Default() Config {
	d := func(v time.Duration) metav1.Duration { return metav1.Duration{Duration: v} }
	return Config{Agent: Agent{Resources: defaultAgentResources()}, Limits: DefaultLimits(), Pods: defaultPods(), Queue: defaultQueue(), Shapes: Shapes{Inline: InlineAllow}, Timeouts: Timeouts{
		PodCreation: d(time.Minute), Scheduling: d(5 * time.Minute), ImagePull: d(2 * time.Minute),
		PodStart: d(15 * time.Minute), TargetReady: d(20 * time.Minute), Load: d(12 * time.Hour),
		Cleanup: d(10 * time.Minute), Queue: d(7 * 24 * time.Hour), Reset: d(time.Hour), TrialGrace: d(2 * time.Minute),
		Upload: d(10 * time.Minute),
	}, Results: defaultResults(), Notifications: defaultNotifications(), Registries: defaultRegistries()}
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

// maxImage is the longest reference of an image, in bytes: it is pinned in the status of runs.
const maxImage = 1024

func (c Config) check() error {
	for name, image := range c.images() {
		if len(image.Image) > maxImage {
			return fmt.Errorf("%s.image has %d bytes, and at most %d are allowed", name, len(image.Image), maxImage)
		}
	}
	if err := c.Agent.check(); err != nil {
		return err
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
		"podCreation": c.Timeouts.PodCreation, "scheduling": c.Timeouts.Scheduling, "imagePull": c.Timeouts.ImagePull,
		"podStart": c.Timeouts.PodStart, "targetReady": c.Timeouts.TargetReady, "load": c.Timeouts.Load,
		"cleanup": c.Timeouts.Cleanup, "queue": c.Timeouts.Queue, "reset": c.Timeouts.Reset, "trialGrace": c.Timeouts.TrialGrace,
		"upload": c.Timeouts.Upload,
	} {
		if v.Duration <= 0 {
			return fmt.Errorf("timeouts.%s must be greater than 0, such as 2m", name)
		}
	}
	if c.Timeouts.Upload.Duration > maxUpload {
		return fmt.Errorf("timeouts.upload must be at most %s: that is how long an URL is signed for", maxUpload)
	}
	return errors.Join(c.Limits.check(), c.Results.check(), c.Pods.check(), c.Queue.check(), c.Shapes.check(), c.Notifications.check(), c.Registries.check())
}

// images of the configuration, by their fields.
func (c Config) images() map[string]Image {
	out := map[string]Image{"agent": {Image: c.Agent.Image}}
	for name, image := range c.Runners {
		out["runners."+name] = image
	}
	for flavor, versions := range c.Engines {
		for version, image := range versions {
			out[fmt.Sprintf("engines.%s[%q]", flavor, version)] = image
		}
	}
	return out
}

// Versions of a flavor in the catalogue, sorted, for messages.
func (c Config) Versions(flavor string) string {
	v := slices.Sorted(maps.Keys(c.Engines[flavor]))
	if len(v) == 0 {
		return "none"
	}
	return strings.Join(v, ", ")
}
