// Package kube is the cluster of the user: a kubeconfig, as kubectl reads it, with kubectl's flags.
//
// In: the flags of the command line. Out: a client with the rights of the user, and the namespace that
// the user is in. It has no rights of its own and keeps nothing.
package kube

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Config is the kubeconfig of the user, with what the flags change of it.
type Config struct {
	rules     *clientcmd.ClientConfigLoadingRules
	overrides clientcmd.ConfigOverrides
}

// New registers kubectl's flags.
func New(flags *pflag.FlagSet) *Config {
	c := &Config{rules: clientcmd.NewDefaultClientConfigLoadingRules()}
	flags.StringVar(&c.rules.ExplicitPath, "kubeconfig", "", "path to the kubeconfig file")
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ContextOverrideFlags.Namespace.ShortName = "n"
	clientcmd.BindOverrideFlags(&c.overrides, flags, names)
	return c
}

// Cluster that a command talks to.
type Cluster struct {
	// API reads and writes with the rights of the user. A field that the API server does not know is an error.
	API client.Client
	// Namespace that the user is in.
	Namespace string

	config *rest.Config
}

// Limits of what a command asks, as those of kubectl. The library's own, 5 in a second, would have a report with 64 results wait for
// 11 seconds: each is an object.
const requestsPerSecond, requestsAtOnce = 50, 300

// Cluster of the kubeconfig. Nothing is asked of it yet.
func (c *Config) Cluster() (Cluster, error) {
	config := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(c.rules, &c.overrides)
	to, err := config.ClientConfig()
	if err != nil {
		return Cluster{}, c.inWords(err)
	}
	namespace, _, err := config.Namespace()
	if err != nil {
		return Cluster{}, c.inWords(err)
	}
	to.QPS, to.Burst = requestsPerSecond, requestsAtOnce
	scheme := runtime.NewScheme()
	add := runtime.NewSchemeBuilder(v1alpha1.AddToScheme, corev1.AddToScheme, appsv1.AddToScheme)
	if err := add.AddToScheme(scheme); err != nil {
		return Cluster{}, fmt.Errorf("registering the API types: %w", err)
	}
	api, err := client.New(to, client.Options{Scheme: scheme})
	if err != nil {
		return Cluster{}, fmt.Errorf("reaching the cluster: %w", err)
	}
	return Cluster{API: client.WithFieldValidation(api, "Strict"), Namespace: namespace, config: to}, nil
}

// inWords says what of the kubeconfig is not there.
func (c *Config) inWords(err error) error {
	loaded, unread := c.rules.Load()
	wanted := c.overrides.CurrentContext
	switch {
	case unread != nil && c.rules.ExplicitPath != "":
		return fmt.Errorf("--kubeconfig: %w", unread)
	case unread != nil:
		return fmt.Errorf("reading the kubeconfig: %w", unread)
	case wanted != "" && len(loaded.Contexts) > 0 && loaded.Contexts[wanted] == nil:
		return fmt.Errorf("--context: the kubeconfig has no context %q: it has %s", wanted, strings.Join(slices.Sorted(maps.Keys(loaded.Contexts)), ", "))
	case wanted == "" && len(loaded.Contexts) > 0 && loaded.CurrentContext == "":
		return fmt.Errorf("the kubeconfig has no current context: choose one of %s with --context or kubectl config use-context", strings.Join(slices.Sorted(maps.Keys(loaded.Contexts)), ", "))
	case clientcmd.IsEmptyConfig(err) || clientcmdapi.IsConfigEmpty(loaded):
		return fmt.Errorf("there is no cluster: no kubeconfig was found in %s; name one with --kubeconfig or with the variable KUBECONFIG", strings.Join(c.rules.GetLoadingPrecedence(), ", "))
	}
	return fmt.Errorf("reading the kubeconfig: %w", err)
}

// Logs reads logs of pods with the rights of the user.
func (c Cluster) Logs() (corev1client.PodsGetter, error) {
	if c.config == nil {
		return nil, errors.New("reaching the cluster: there is no configuration for it")
	}
	return corev1client.NewForConfig(c.config)
}

// Key of a run in the namespace of the user, by its name or by KIND/NAME.
func (c Cluster) Key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: c.Namespace, Name: contract.RunName(name)}
}

// CompleteRuns completes the names of runs, up to so many of them on a command line; 0 for any number.
func (c *Config) CompleteRuns(most int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if most > 0 && len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		to, err := c.Cluster()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var runs v1alpha1.BenchmarkRunList
		if err := to.API.List(cmd.Context(), &runs, client.InNamespace(to.Namespace), client.Limit(maxCompleted)); err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var out []cobra.Completion
		for _, run := range runs.Items {
			out = append(out, cobra.CompletionWithDesc(run.Name, string(run.Status.Phase)))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// maxCompleted names are read for a completion.
const maxCompleted = 100
