package benchmarkschedule

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	tags "github.com/assay-bench/assay/internal/cluster/registry"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/config"
)

// images is a real registry on loopback, which can be broken.
type images struct {
	t      *testing.T
	host   string
	broken atomic.Bool
}

func newImages(t *testing.T) *images {
	t.Helper()
	i := &images{t: t}
	real := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i.broken.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		real.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	i.host = strings.TrimPrefix(s.URL, "http://")
	return i
}

// push another image with the tag of before; it returns the digest.
func (i *images) push(image string) string {
	i.t.Helper()
	tag, err := name.NewTag(image)
	if err != nil {
		i.t.Fatal(err)
	}
	content, err := random.Image(64, 1)
	if err != nil {
		i.t.Fatal(err)
	}
	if err := remote.Write(tag, content); err != nil {
		i.t.Fatal(err)
	}
	digest, err := content.Digest()
	if err != nil {
		i.t.Fatal(err)
	}
	return digest.String()
}

// mayAsk lets the manager ask the registry.
func mayAsk(s *stage, host string) {
	s.t.Helper()
	resolver, err := tags.New(config.Registries{
		Timeout: metav1.Duration{Duration: 5 * time.Second}, Ask: []config.Registry{{Host: host, PlainHTTP: true}},
	}, s.clock)
	s.must(err)
	s.r.Tags = resolver
}

// newRuns are those that were not there before; each is ended.
func newRuns(s *stage, known []string) []string {
	s.t.Helper()
	var out []string
	for _, run := range s.runs() {
		if slices.Contains(known, run) {
			continue
		}
		out = append(out, run)
		s.finish(run, true, 1)
	}
	s.pass()
	return out
}

// A tag that moved starts a run, which names the digest. A registry that may be asked from now on, one that is away, and one
// that comes back start none.
func TestATagThatMoved(t *testing.T) {
	t.Parallel()
	i := newImages(t)
	for what, image := range map[string]struct {
		set func(s *stage, image string)
		of  func(spec v1alpha1.BenchmarkRunSpec) string
	}{
		"of a target": {
			set: func(s *stage, image string) {
				s.change(func(o *v1alpha1.BenchmarkSchedule) {
					o.Spec.RunTemplate.Spec.Targets[0].MySQL.Version, o.Spec.RunTemplate.Spec.Targets[0].MySQL.Image = "", image
				})
			},
			of: func(spec v1alpha1.BenchmarkRunSpec) string { return spec.Targets[0].MySQL.Image },
		},
		"of the catalogue": {
			set: func(s *stage, image string) { s.r.Config.Engines["MariaDB"]["10.11"] = config.Image{Image: image} },
			of:  func(spec v1alpha1.BenchmarkRunSpec) string { return spec.Targets[0].MySQL.Image },
		},
		"of the workload": {
			set: func(s *stage, image string) {
				s.change(func(o *v1alpha1.BenchmarkSchedule) {
					o.Spec.RunTemplate.Spec.Workload = v1alpha1.Workload{Custom: &v1alpha1.CustomWorkload{
						Image: image, Format: "Sysbench", Run: v1alpha1.CustomPhase{Command: []string{"x"}}, Threads: 1,
					}}
				})
			},
			of: func(spec v1alpha1.BenchmarkRunSpec) string { return spec.Workload.Custom.Image },
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			i := &images{t: t, host: i.host}
			tag := i.host + "/" + strings.ReplaceAll(what, " ", "-") + "/db:1"
			s := newStage(t, `onChange: true, successfulRunsHistoryLimit: 100`)
			minutes := 0
			later := func() *v1alpha1.BenchmarkSchedule {
				minutes += 5
				return s.at(time.Duration(minutes) * time.Minute).pass()
			}
			first := i.push(tag)
			image.set(s, tag)
			later()
			known := s.runs()
			want(t, "runs of a new schedule", len(newRuns(s, nil)), 1)

			mayAsk(s, i.host)
			o := later()
			want(t, "runs when the registry may be asked", newRuns(s, known), []string(nil))
			want(t, "what is known", o.Status.Change.Images, []v1alpha1.SeenImage{{Image: tag, Digest: first}})
			want(t, "condition", condition(o, v1alpha1.ConditionImagesResolved), "True Succeeded")

			second := i.push(tag)
			o = later()
			want(t, "what is known", o.Status.Change.Images, []v1alpha1.SeenImage{{Image: tag, Digest: second}})
			started := newRuns(s, known)
			if len(started) != 1 || image.of(s.run(started[0]).Spec) != tag+"@"+second || !strings.HasPrefix(started[0], "nightly-change-") {
				t.Fatalf("runs %v, want one of %s", started, second)
			}
			known = s.runs()
			want(t, "nothing moved", newRuns(s, known), []string(nil))
			later()
			want(t, "nothing moved", newRuns(s, known), []string(nil))
		})
	}
}

// An image that is never pulled is what the nodes have: nobody is asked for it, and it is not pinned, also where another
// target has it pulled.
func TestAnImageThatIsNeverPulled(t *testing.T) {
	t.Parallel()
	target := func(pull corev1.PullPolicy, image string) v1alpha1.Target {
		return v1alpha1.Target{MySQL: &v1alpha1.MySQLTarget{Image: image, ImagePullPolicy: pull}}
	}
	spec := v1alpha1.BenchmarkRunSpec{
		Targets:  []v1alpha1.Target{target(corev1.PullNever, "a:1"), target(corev1.PullIfNotPresent, "b:1"), target(corev1.PullNever, "b:1")},
		Workload: v1alpha1.Workload{Custom: &v1alpha1.CustomWorkload{Image: "c:1", ImagePullPolicy: corev1.PullNever}},
	}
	want(t, "asked for", imagesOf(spec, config.Config{}), []string{"b:1"})
	pin(&spec, config.Config{}, []v1alpha1.SeenImage{{Image: "a:1", Digest: "sha256:1"}, {Image: "b:1", Digest: "sha256:2"}, {Image: "c:1", Digest: "sha256:3"}})
	want(t, "pinned", []string{spec.Targets[0].MySQL.Image, spec.Targets[1].MySQL.Image, spec.Targets[2].MySQL.Image, spec.Workload.Custom.Image},
		[]string{"a:1", "b:1@sha256:2", "b:1", "c:1"})
	long := "r.example.com/" + strings.Repeat("x", 420) + ":" + strings.Repeat("1", 60)
	want(t, "a long name", pinned(long, "sha256:"+strings.Repeat("0", 64)), long[:strings.LastIndexByte(long, ':')]+"@sha256:"+strings.Repeat("0", 64))
	longer := "r.example.com/" + strings.Repeat("x", 480)
	want(t, "a name that is too long", pinned(longer, "sha256:"+strings.Repeat("0", 64)), longer)
}

// newTagged is a schedule whose server has a tag in a registry that may be asked; its first run has ended, with the first digest.
func newTagged(t *testing.T) (i *images, s *stage, tag, first string) {
	t.Helper()
	i = newImages(t)
	tag = i.host + "/team/db:1"
	s = newStage(t, `onChange: true, successfulRunsHistoryLimit: 100`)
	first = i.push(tag)
	s.r.Config.Engines["MariaDB"]["10.11"] = config.Image{Image: tag}
	mayAsk(s, i.host)
	s.pass()
	want(t, "runs of a new schedule", len(newRuns(s, nil)), 1)
	return i, s, tag, first
}

// A registry that is away starts nothing, and keeps no other change from its run.
func TestARegistryThatIsAway(t *testing.T) {
	t.Parallel()
	i, s, tag, first := newTagged(t)
	want(t, "the image", s.run(s.runs()[0]).Spec.Targets[0].MySQL.Image, tag+"@"+first)
	known := s.runs()
	s.told()

	i.broken.Store(true)
	o := s.at(5 * time.Minute).pass()
	want(t, "runs", newRuns(s, known), []string(nil))
	want(t, "condition", []string{condition(o, v1alpha1.ConditionImagesResolved), condition(o, "Ready")}, []string{"False ImageUnresolved", "True Succeeded"})
	want(t, "events", s.told(), []string{"ImageUnresolved"})
	s.at(10 * time.Minute).pass()
	want(t, "events, once", s.told(), []string(nil))

	s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Spec.RunTemplate.Spec.Design.Blocks = 3 })
	s.at(11 * time.Minute).pass()
	started := newRuns(s, known)
	if len(started) != 1 || s.run(started[0]).Spec.Targets[0].MySQL.Image != tag+"@"+first {
		t.Fatalf("a change while the registry is away: %v", started)
	}
	known = s.runs()

	i.broken.Store(false)
	o = s.at(20 * time.Minute).pass()
	want(t, "condition", condition(o, v1alpha1.ConditionImagesResolved), "True Succeeded")
	want(t, "runs when it is back", newRuns(s, known), []string(nil))

	s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Spec.OnChange = false })
	o = s.at(25 * time.Minute).pass()
	want(t, "without onChange", condition(o, v1alpha1.ConditionImagesResolved), "absent")
}

// A tag that moves while the schedule is suspended has a run when it is resumed, also where a run on demand measured a change
// of the template meanwhile, for which no tag was looked up.
func TestATagThatMovesWhileSuspended(t *testing.T) {
	t.Parallel()
	i, s, tag, first := newTagged(t)
	known := s.runs()

	s.change(func(o *v1alpha1.BenchmarkSchedule) {
		o.Spec.Suspend, o.Spec.RunTemplate.Spec.Design.Blocks = true, 3
		o.Annotations = map[string]string{v1alpha1.AnnotationRunNow: "1"}
	})
	second := i.push(tag)
	o := s.at(5 * time.Minute).pass()
	want(t, "runs on demand", len(newRuns(s, known)), 1)
	want(t, "what is known", o.Status.Change.Images, []v1alpha1.SeenImage{{Image: tag, Digest: first}})
	known = s.runs()

	s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Spec.Suspend = false })
	s.at(10 * time.Minute).pass()
	started := newRuns(s, known)
	if len(started) != 1 || s.run(started[0]).Spec.Targets[0].MySQL.Image != tag+"@"+second {
		t.Fatalf("runs %v when it is resumed, want one of %s", started, second)
	}
}

// Another release reads the same spec in another way, because it has other defaults. That starts no run, also not when the
// schedule is changed in something else afterwards; a change of the template does.
func TestAnUpgradeStartsNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, `onChange: true, successfulRunsHistoryLimit: 100`)
	s.pass()
	want(t, "runs of a new schedule", len(newRuns(s, nil)), 1)
	known := s.runs()

	o := s.get()
	lines, err := s.r.linesOf(t.Context(), s.namespace, namedBy(o.Spec.RunTemplate.Spec, experiment.Catalogue{Tool: s.r.Runner, Engine: s.r.Engine, Config: s.r.Config}))
	s.must(err)
	want(t, "the digest", o.Status.Change.Digest, compose(lines, o.Status.Change.SpecDigest))
	o.Status.Change.SpecDigest, o.Status.Change.Digest = "older", compose(lines, "older")
	s.must(server.API.Status().Update(t.Context(), o))
	o = s.at(5 * time.Minute).pass()
	want(t, "runs after the upgrade", newRuns(s, known), []string(nil))
	want(t, "reconciling", condition(o, "Reconciling"), "False Succeeded")

	s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Spec.SuccessfulRunsHistoryLimit = new(int32(99)) })
	s.at(10 * time.Minute).pass()
	want(t, "runs after another change", newRuns(s, known), []string(nil))
	s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Spec.RunTemplate.Spec.Design.Blocks = 3 })
	s.at(15 * time.Minute).pass()
	want(t, "runs after a change of the template", len(newRuns(s, known)), 1)
}
