package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// release and commit of this program: the linker sets them (hack/plugin.sh, Makefile).
var release, commit string

const versionHelp = `Say which version the command is, and which one the manager in the cluster.

A cluster that does not answer is no error, and neither is one whose Deployments you may not list: then the output says so, and
has the version of the command only.`

// patience with a cluster that is asked for the version of its manager.
const versionPatience = 5 * time.Second

func newVersion(k *kube.Config) *cobra.Command {
	var format output.Format
	cmd := &cobra.Command{
		Use: "version", Short: "Say which version the command and the manager are", Long: versionHelp, Args: cobra.NoArgs,
		Example: "  kubectl assay version\n  kubectl assay version -o json | jq -r '.managers[].release'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			doc := output.Version{Version: output.VersionVersion, Command: program(), Managers: []output.Manager{}}
			ctx, cancel := context.WithTimeout(cmd.Context(), versionPatience)
			defer cancel()
			var managers []output.Manager
			to, err := k.Cluster()
			if err == nil {
				managers, err = managersIn(ctx, to.API)
			}
			switch {
			case apierrors.IsForbidden(err):
				doc.Unknown = "you may not list Deployments of all namespaces"
			case err != nil:
				doc.Unknown = contract.Line(exit.InWords(cmd, err).Error())
			case len(managers) == 0:
				doc.Unknown = "no Deployment of the cluster has the labels of the chart of Assay"
			default:
				doc.Managers = managers
			}
			return format.Write(cmd.OutOrStdout(), doc, func(out io.Writer) error { return tellVersion(out, doc) })
		},
	}
	format.AddTo(cmd)
	return cmd
}

// program is this one.
func program() output.Program {
	p := output.Program{Version: release, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, has := debug.ReadBuildInfo(); has {
		p.Version = cmp.Or(p.Version, strings.Trim(strings.TrimPrefix(info.Main.Version, "v"), "()"))
	}
	p.Version = cmp.Or(p.Version, "devel")
	return p
}

// managersIn a cluster: Deployments of our chart, which may have another name, and of config/manager.
func managersIn(ctx context.Context, api client.Reader) (out []output.Manager, err error) {
	var list appsv1.DeploymentList
	if err := api.List(ctx, &list, client.MatchingLabels{"app.kubernetes.io/component": "manager"}); err != nil {
		return nil, err
	}
	for _, d := range list.Items {
		ours := strings.HasPrefix(d.Labels["helm.sh/chart"], "assay-") || d.Labels["app.kubernetes.io/name"] == "assay"
		if !ours || len(d.Spec.Template.Spec.Containers) == 0 {
			continue
		}
		out = append(out, output.Manager{
			Namespace: d.Namespace, Name: d.Name, Release: d.Labels["app.kubernetes.io/version"], Image: d.Spec.Template.Spec.Containers[0].Image,
			Ready: d.Status.ReadyReplicas, Wanted: ptr.Deref(d.Spec.Replicas, 1),
		})
	}
	return out, nil
}

func tellVersion(out io.Writer, doc output.Version) error {
	p := output.NewPage(out)
	text := "command: " + doc.Command.Version
	if doc.Command.Commit != "" {
		text += " (commit " + doc.Command.Commit + ")"
	}
	p.Line(fmt.Sprintf("%s, %s, %s", text, doc.Command.Go, doc.Command.Platform))
	for _, m := range doc.Managers {
		p.Line(fmt.Sprintf("manager: %s, %s/%s, image %s, %d of %d pods ready", cmp.Or(m.Release, "version not known"), m.Namespace, m.Name, m.Image, m.Ready, m.Wanted))
	}
	if doc.Unknown != "" {
		p.Line("manager: not known: " + doc.Unknown)
	}
	return p.Flush()
}
