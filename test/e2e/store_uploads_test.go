package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// uploads is what was seen of the Secrets with signed URLs while a run went on.
type uploads struct {
	secrets []string
	// pods that mount such a Secret, and containers with a token of the API server.
	mounted, tokens []string
}

// watchUploads until the result is asked for.
func watchUploads(t *testing.T, ns string) func() uploads {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	seen := make(chan uploads)
	note := func(list *[]string, what string) {
		if !slices.Contains(*list, what) {
			*list = append(*list, what)
		}
	}
	go func() {
		var u uploads
		for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
			var secrets corev1.SecretList
			var pods corev1.PodList
			if cluster.API.List(ctx, &secrets, client.InNamespace(ns), client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleUpload}) != nil || cluster.API.List(ctx, &pods, client.InNamespace(ns)) != nil {
				continue
			}
			for _, secret := range secrets.Items {
				note(&u.secrets, secret.Name)
			}
			for _, pod := range pods.Items {
				for _, v := range pod.Spec.Volumes {
					if v.Secret != nil && strings.Contains(v.Secret.SecretName, "-upload-") {
						note(&u.mounted, pod.Name)
					}
				}
				for _, c := range append(pod.Spec.InitContainers, pod.Spec.Containers...) {
					for _, m := range c.VolumeMounts {
						if strings.HasPrefix(m.MountPath, "/var/run/secrets") {
							note(&u.tokens, c.Name)
						}
					}
				}
			}
		}
		seen <- u
	}()
	return func() uploads { stop(); return <-seen }
}

// checkUploads: a Secret for each client of each trial. Only the agents have a token, and their account may read the Secrets of
// the last execution by name, and no others; nobody else of the namespace may read any.
func checkUploads(t *testing.T, run *v1alpha1.BenchmarkRun, seen uploads) {
	t.Helper()
	for trial := range int32(3) {
		for i := range 2 {
			if name := contract.UploadName(contract.TrialName(run.Name, trial, 0), i); !slices.Contains(seen.secrets, name) {
				t.Errorf("no Secret %s was seen, only %v", name, seen.secrets)
			}
		}
	}
	if len(seen.mounted) > 0 || !slices.Equal(seen.tokens, []string{"agent"}) {
		t.Errorf("pods that mount signed URLs: %v; containers with a token: %v, want the agent's alone", seen.mounted, seen.tokens)
	}
	last := contract.TrialName(run.Name, 2, 0)
	for _, ask := range []struct {
		account, name, verb string
		want                bool
	}{
		{contract.ClientName(run.Name), contract.UploadName(last, 0), "get", true},
		{contract.ClientName(run.Name), contract.UploadName(last, 1), "get", true},
		{contract.ClientName(run.Name), contract.UploadName(contract.TrialName(run.Name, 1, 0), 0), "get", false},
		{contract.ClientName(run.Name), contract.TargetName(run.Name, "mariadb"), "get", false},
		{contract.ClientName(run.Name), "", "list", false},
		{"default", contract.UploadName(last, 0), "get", false},
	} {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User:               fmt.Sprintf("system:serviceaccount:%s:%s", run.Namespace, ask.account),
			Groups:             []string{"system:serviceaccounts", "system:serviceaccounts:" + run.Namespace, "system:authenticated"},
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: run.Namespace, Verb: ask.verb, Resource: "secrets", Name: ask.name},
		}}
		answer, err := cluster.Clientset.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{})
		if err != nil || answer.Status.Allowed != ask.want {
			t.Errorf("%s of Secret %q by %s: %v, want %t (%v)", ask.verb, ask.name, ask.account, answer.Status.Allowed, ask.want, err)
		}
	}
}
