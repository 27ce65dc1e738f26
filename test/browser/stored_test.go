package browser

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/record/bundle"
)

// demoBundle is the recorded demo.
const demoBundle = "../../docs/evidence/demo" + bundle.Extension

// storedRuns are bundles of real runs: that of the demo, where it is there, and those beside the pictures.
func storedRuns(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{demoBundle, picturesFolder + "/*" + bundle.Extension} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	if len(paths) < 2 {
		t.Fatalf("got the stored runs %v, want two or more", paths)
	}
	return paths
}

// shownAge of the newest stored run, in lists. It is shown in days: the same whatever time of the day it is.
const shownAge = (12*24 + 12) * time.Hour

// shownNamespace has all stored runs, wherever they were measured.
const shownNamespace = "bench"

// storedObjects are those of the stored runs, in shownNamespace and as old as shownAge.
func storedObjects(t *testing.T, paths []string) (names []string, out []client.Object) {
	t.Helper()
	var runs []*v1alpha1.BenchmarkRun
	var newest time.Time
	for _, path := range paths {
		b, err := bundle.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		run, err := b.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if run.Status.CompletionTime == nil {
			t.Fatalf("%s has not ended", b)
		}
		if end := run.Status.CompletionTime.Time; end.After(newest) {
			newest = end
		}
		names, runs, out = append(names, run.Name), append(runs, run), append(out, run)
		for _, f := range b.Index.Files[1:] {
			name := strings.Split(f.Path, "/")[1]
			if slices.ContainsFunc(out, func(o client.Object) bool { return o.GetName() == name }) {
				continue
			}
			cm, err := b.ConfigMap(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, cm)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	later := time.Since(newest) - shownAge
	for _, run := range runs {
		makeLater(run, later)
	}
	for _, o := range out {
		o.SetNamespace(shownNamespace)
	}
	return names, out
}

// makeLater moves the times of a run that lists and words show.
func makeLater(run *v1alpha1.BenchmarkRun, by time.Duration) {
	times := []*metav1.Time{&run.CreationTimestamp, run.Status.StartTime, run.Status.CompletionTime}
	for i := range run.Status.Conditions {
		times = append(times, &run.Status.Conditions[i].LastTransitionTime)
	}
	for _, at := range times {
		if at != nil {
			*at = metav1.NewTime(at.Add(by))
		}
	}
}

// reportOf a bundle, as the command writes it.
func reportOf(t *testing.T, path string) []byte {
	t.Helper()
	var page, problems strings.Builder
	if code := cli.Run(t.Context(), []string{"report", path, "-o", "-"}, cli.Streams{Out: &page, Problems: &problems}); code != exit.OK {
		t.Fatalf("exit %d: %s", code, problems.String())
	}
	return []byte(page.String())
}

// fetched are pages of the command `ui`, and their style, without a browser.
func fetched(t *testing.T, address *url.URL, path string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c, text := http.Client{Jar: jar}, ""
	for _, at := range []string{address.String(), home(address) + "/style.css", home(address) + path} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Sec-Fetch-Site", "same-origin") // as a browser says of what a page of its own needs
		answer, err := c.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if closed := answer.Body.Close(); err != nil || closed != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(at, answer.Status, err, closed)
		}
		if at != address.String() {
			text += string(body)
		}
	}
	return text
}

// program is the plugin, built from this tree.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubectl-assay")
	if out, err := command(t, "go", "build", "-o", path, "github.com/assay-bench/assay/cmd/kubectl-assay").CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("building the plugin: %w: %s", err, out))
	}
	return path
}

// environment of a command in a terminal: nothing of this machine is in it.
func environment(t *testing.T, config string) []string {
	t.Helper()
	return []string{"KUBECONFIG=" + config, "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "TZ=UTC"}
}
