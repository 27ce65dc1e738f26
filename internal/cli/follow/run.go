package follow

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/manifest"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/cli/show"
	"github.com/assay-bench/assay/internal/ground/contract"
)

const runHelp = `Start a run, and follow it to its end.

The objects of the file are applied (server-side), in their order. One of them is a BenchmarkRun. One with
metadata.generateName is created anew each time. A run whose name has a run that has ended is refused: nothing
would be measured. Progress goes to standard error, the numbers and the verdict to standard output.

--set sets a field of a target in the file before it is applied: the image of a pull request beside that of its base.

With -o name standard output has the kind and the name of the run only, as soon as it is there, for scripts: every command takes
them in the place of a name.

Ctrl-C ends the command and not the run: kubectl assay watch RUN follows it again.

` + exitHelp

// exitHelp is the part of the exit codes that is about a run.
const exitHelp = `Exit codes:
  0    the run is complete and valid, and where it has a gate, it has passed
  1    wrong usage, or an error of the API, as with kubectl; nothing was started, or the run was deleted
  2    the run has failed
  3    the run is complete and not valid: results contradict themselves, or none counts
  4    the gate of the run has failed
  5    the gate of the run could not decide
  130  Ctrl-C; the run goes on`

const runExamples = `  kubectl assay run -f benchmark.yaml
  kubectl assay run -f benchmark.yaml --set target.head.image=registry.example/server:pr-7
  kubectl assay run -f benchmark.yaml -o json > result.json
  run=$(kubectl assay run -f benchmark.yaml -o name) && kubectl assay report "$run"
  kubectl assay new --target mysql=MySQL:9.7 --tool sysbench | kubectl assay run -f -`

// fieldOwner of what the command applies.
const fieldOwner = "kubectl-assay"

// NewRun is the command `run`.
func NewRun(config *kube.Config) *cobra.Command { return newRun(config.Cluster) }

func newRun(cluster func() (kube.Cluster, error)) *cobra.Command {
	var o options
	var sets manifest.Sets
	file := ""
	cmd := &cobra.Command{
		Use: "run -f FILE", Short: "Start a run, and follow it to its end", Long: runHelp, Example: runExamples, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			data, err := manifest.ReadFile(file, cmd.InOrStdin())
			if err != nil {
				return err
			}
			objects, run, err := manifest.Objects(data)
			if err != nil {
				return fmt.Errorf("reading %s: %w", file, err)
			}
			if err := sets.Apply(run); err != nil {
				return err
			}
			to, err := cluster()
			if err != nil {
				return err
			}
			if err := start(cmd.Context(), to, objects, run); err != nil {
				return err
			}
			if o.format == output.Name {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), "benchmarkrun.assay.dev/"+contract.Line(run.GetName())); err != nil {
					return err
				}
			}
			return o.follow(cmd, following{api: to.API, key: client.ObjectKeyFromObject(run), uid: run.GetUID()})
		},
	}
	cmd.Flags().StringVarP(&file, "filename", "f", "", "file with the manifest, or - for standard input (required)")
	_ = cmd.MarkFlagRequired("filename") //nolint:errcheck // the flag exists
	sets.AddTo(cmd.Flags())
	o.addTo(cmd)
	o.format.AddNamedTo(cmd)
	return cmd
}

// start applies the objects; the run is then as the API server has it. It refuses a run that has ended already, before it
// applies anything: to apply it again starts nothing, and its verdict is about what was measured then.
func start(ctx context.Context, to kube.Cluster, objects []*unstructured.Unstructured, run *unstructured.Unstructured) error {
	for _, u := range objects {
		namespaced, err := to.API.IsObjectNamespaced(u)
		if err != nil {
			return fmt.Errorf("%s %s: %w", u.GetKind(), nameOf(u), err)
		}
		if namespaced && u.GetNamespace() == "" {
			u.SetNamespace(to.Namespace)
		}
	}
	if err := notEnded(ctx, to.API, run); err != nil {
		return err
	}
	for _, u := range objects {
		if err := apply(ctx, to.API, u); err != nil {
			// The words of plan, where it finds what is wrong. It is asked after the server, which may know fields that are newer.
			if manifest.IsRun(u) && u.GetAPIVersion() == v1alpha1.GroupVersion.String() {
				if _, found := manifest.Complete(u); found != nil {
					err = found
				}
			}
			return fmt.Errorf("%s %s: %w", u.GetKind(), nameOf(u), err)
		}
	}
	return nil
}

// notEnded refuses a run of a name under which one has ended.
func notEnded(ctx context.Context, api client.Reader, u *unstructured.Unstructured) error {
	if u.GetName() == "" {
		return nil
	}
	run, key := &v1alpha1.BenchmarkRun{}, client.ObjectKeyFromObject(u)
	switch err := api.Get(ctx, key, run); {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return show.Unread(key, err)
	case run.Finished():
		return fmt.Errorf(`BenchmarkRun %[3]s has ended before: nothing was started. Write metadata.generateName in place of metadata.name for a new run each time, or delete it first:
  kubectl delete bmr %[1]s -n %[2]s
What it has measured is shown by
  kubectl assay get %[1]s -n %[2]s`, key.Name, key.Namespace, key)
	}
	return nil
}

// apply an object; what has no name yet is created.
func apply(ctx context.Context, api client.Client, u *unstructured.Unstructured) error {
	if u.GetName() == "" {
		return api.Create(ctx, u, client.FieldOwner(fieldOwner))
	}
	err := api.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(fieldOwner))
	if apierrors.IsConflict(err) {
		return fmt.Errorf("%w; another program has set these fields: leave them out of the manifest, or change them with kubectl apply --server-side --force-conflicts", err)
	}
	return err
}

func nameOf(u *unstructured.Unstructured) string {
	if u.GetName() == "" {
		return u.GetGenerateName()
	}
	return strings.TrimPrefix(u.GetNamespace()+"/"+u.GetName(), "/")
}
