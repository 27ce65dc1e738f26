package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
)

// Exit codes.
const (
	// ExitOK: what the command was asked holds.
	ExitOK = 0
	// ExitDiffers: something is not what was stored, or is gone.
	ExitDiffers = 1
	// ExitUnreadable: nothing can be said: an object cannot be read, the run has not ended, it has
	// no chain, or the command was called wrongly.
	ExitUnreadable = 2
)

// errDiffers ends a command whose output has said what differs.
var errDiffers = errors.New("it differs")

// Main runs a command and returns its exit code.
func Main(args []string, out, problems io.Writer) int {
	log.SetLogger(logr.Discard()) // what the client library says to itself is nothing for a terminal
	cmd := newCommand()
	cmd.SetArgs(args)
	out, problems = contract.CleanWriter{To: out}, contract.CleanWriter{To: problems} // tenants wrote a part of it
	cmd.SetOut(out)
	cmd.SetErr(problems)
	switch err := cmd.Execute(); {
	case err == nil:
		return ExitOK
	case errors.Is(err, errDiffers):
		return ExitDiffers
	default:
		fmt.Fprintln(problems, "error:", err) //nolint:errcheck // there is nobody else to tell
		return ExitUnreadable
	}
}

func newCommand() *cobra.Command {
	root := &cobra.Command{
		Use: "kubectl-assay", Short: "Look at benchmark runs",
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl assay"},
		SilenceErrors: true, SilenceUsage: true,
	}
	k := &kubeconfig{rules: clientcmd.NewDefaultClientConfigLoadingRules()}
	flags := root.PersistentFlags()
	flags.StringVar(&k.rules.ExplicitPath, "kubeconfig", "", "path to the kubeconfig file")
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ContextOverrideFlags.Namespace.ShortName = "n"
	clientcmd.BindOverrideFlags(&k.overrides, flags, names)
	root.AddCommand(newVerify(k), newTable(k), newCompare(k), newBaseline(k))
	root.AddCommand(newExport(k), newImport())
	return root
}

// kubeconfig of the user.
type kubeconfig struct {
	rules     *clientcmd.ClientConfigLoadingRules
	overrides clientcmd.ConfigOverrides
}

// reader of the cluster, and the namespace that the user is in.
func (k *kubeconfig) reader() (client.Reader, string, error) {
	config := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(k.rules, &k.overrides)
	namespace, _, err := config.Namespace()
	if err != nil {
		return nil, "", fmt.Errorf("reading the kubeconfig: %w", err)
	}
	rest, err := config.ClientConfig()
	if err != nil {
		return nil, "", fmt.Errorf("reading the kubeconfig: %w", err)
	}
	scheme := runtime.NewScheme()
	add := runtime.NewSchemeBuilder(v1alpha1.AddToScheme, corev1.AddToScheme)
	if err := add.AddToScheme(scheme); err != nil {
		return nil, "", fmt.Errorf("registering the API types: %w", err)
	}
	c, err := client.New(rest, client.Options{Scheme: scheme})
	if err != nil {
		return nil, "", fmt.Errorf("reaching the cluster: %w", err)
	}
	return c, namespace, nil
}
