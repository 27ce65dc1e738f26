package ycsb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/internal/ground/apischema"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/hang"
)

var hostAndPort = regexp.MustCompile(`//[^/;]+`)

// trialOfManifest is a trial of the target of a manifest that is behind JDBC, with the address of the server here in its URL, and with
// little data.
func trialOfManifest(t *testing.T, file, address string, url func(string) string) contract.Trial {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	objects := strings.Split(string(text), "\n---\n")
	var run struct {
		Spec struct {
			Targets []struct {
				External struct{ JDBC *contract.JDBC }
			}
			Workload struct{ YCSB map[string]any }
		}
	}
	if err := yaml.Unmarshal([]byte(objects[len(objects)-1]), &run); err != nil {
		t.Fatal(err)
	}
	trial := aTrialOf(t, nil)
	trial.Endpoint = contract.Endpoint{JDBC: run.Spec.Targets[0].External.JDBC}
	trial.Endpoint.JDBC.URL = hostAndPort.ReplaceAllLiteralString(trial.Endpoint.JDBC.URL, "//"+address)
	if url != nil {
		trial.Endpoint.JDBC.URL = url(trial.Endpoint.JDBC.URL)
	}
	maps.Copy(run.Spec.Workload.YCSB, map[string]any{"recordCount": 4, "operationCount": 4, "threads": 2, "jvmOptions": []string{"-Xmx64m"}})
	given, err := json.Marshal(run.Spec.Workload.YCSB)
	if err != nil {
		t.Fatal(err)
	}
	tool, err := apischema.ForTool(Name)
	if err != nil {
		t.Fatal(err)
	}
	if trial.Workload, err = tool.Complete(given); err != nil {
		t.Fatal(err)
	}
	return trial
}

// start a command line as the supervisor does, with the classes of this machine in place of those of the image.
func start(t *testing.T, command runner.Command, classes string) runner.Output {
	t.Helper()
	folder := t.TempDir()
	for name, content := range command.Files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := strings.Split(strings.Replace(strings.Join(command.Args, "\n"), Params{}.classPath(), classes, 1), "\n")
	ctx, stop := context.WithTimeout(t.Context(), hang.Limit)
	defer stop()
	java := exec.CommandContext(ctx, command.Path, args...)
	java.Dir = folder
	var stdout, stderr bytes.Buffer
	java.Stdout, java.Stderr = &stdout, &stderr
	var ended *exec.ExitError
	if err := java.Run(); err != nil && (!errors.As(err, &ended) || ctx.Err() != nil) {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	return runner.Output{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), ExitCode: java.ProcessState.ExitCode()}
}
