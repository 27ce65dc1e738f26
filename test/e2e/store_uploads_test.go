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
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// uploads is what was seen of the Secrets with signed URLs while a run went on.
type uploads struct {
	// secrets that were there.
	secrets []string
	// mounted are the pods that mount such a Secret, and tokens the containers with a token of the API server.
	mounted, tokens []string
	// clients and others are the Secrets that the account of the clients, and the default one, could read while they were there.
	clients, others []string
}

func note(list *[]string, what string) {
	if !slices.Contains(*list, what) {
		*list = append(*list, what)
	}
}

// watchUploads of a run until the result is asked for.
func watchUploads(t *testing.T, run *v1alpha1.BenchmarkRun) func() uploads {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	seen := make(chan uploads, 1)
	go func() {
		var u uploads
		for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
			if err := u.look(ctx, run); err != nil && ctx.Err() == nil {
				t.Errorf("looking for signed URLs: %v", err)
			}
		}
		seen <- u
	}()
	return func() uploads { stop(); return <-seen }
}

// look once.
func (u *uploads) look(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	var secrets corev1.SecretList
	if err := cluster.API.List(ctx, &secrets, client.InNamespace(run.Namespace), client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleUpload}); err != nil {
		return err
	}
	for _, secret := range secrets.Items {
		if slices.Contains(u.secrets, secret.Name) {
			continue
		}
		note(&u.secrets, secret.Name)
		for account, list := range map[string]*[]string{contract.ClientName(run.Name): &u.clients, "default": &u.others} {
			may, err := mayRead(ctx, run.Namespace, account, secret.Name)
			if err != nil {
				return err
			}
			if may {
				note(list, secret.Name)
			}
		}
	}
	var pods corev1.PodList
	if err := cluster.API.List(ctx, &pods, client.InNamespace(run.Namespace)); err != nil {
		return err
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
	return nil
}

// mayRead says whether an account of a namespace may read a Secret there; an empty name stands for all of them.
func mayRead(ctx context.Context, ns, account, name string) (bool, error) {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:               fmt.Sprintf("system:serviceaccount:%s:%s", ns, account),
		Groups:             []string{"system:serviceaccounts", "system:serviceaccounts:" + ns, "system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: ns, Verb: "get", Resource: "secrets", Name: name},
	}}
	answer, err := cluster.Clientset.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	return answer.Status.Allowed, nil
}

// checkUploads: there was a Secret for each client of each trial. While it was there the account of the clients could read it, by
// its name, and no other account. Of all containers only the agents have a token of that account. When the run has ended nobody
// may read a Secret of that name.
func checkUploads(t *testing.T, run *v1alpha1.BenchmarkRun, seen uploads) {
	t.Helper()
	for trial := range int32(3) {
		for i := range 2 {
			name := contract.UploadName(contract.TrialName(run.Name, trial, 0), i)
			if !slices.Contains(seen.clients, name) {
				t.Errorf("no Secret %s was seen that the clients could read, only %v of %v", name, seen.clients, seen.secrets)
			}
			for _, which := range []string{name, ""} {
				// The Role is gone with the run's end; the API server's authorizer learns that from a watch.
				eventually(t, hang.Limit, func() string {
					if may, err := mayRead(t.Context(), run.Namespace, contract.ClientName(run.Name), which); err != nil || may {
						return fmt.Sprintf("after the run its clients may read Secret %q: %t (%v)", which, may, err)
					}
					return ""
				})
			}
		}
	}
	if len(seen.others) > 0 {
		t.Errorf("the default account could read %v", seen.others)
	}
	if len(seen.mounted) > 0 || !slices.Equal(seen.tokens, []string{"agent"}) {
		t.Errorf("pods that mount signed URLs: %v; containers with a token: %v, want the agent's alone", seen.mounted, seen.tokens)
	}
}
