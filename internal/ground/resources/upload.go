package resources

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// UploadSecret is for the signed URLs of one client of an execution, without them. It belongs to the ConfigMap of the trial, and goes with
// it.
func UploadSecret(run *v1alpha1.BenchmarkRun, trial metav1.Object, client int) *corev1.Secret {
	return secretOf(run, trial, contract.UploadName(trial.GetName(), client))
}

// DataSecret is for the signed URLs of the data set of a load, without them. It belongs to the ConfigMap of the load, and goes with it.
func DataSecret(run *v1alpha1.BenchmarkRun, load metav1.Object) *corev1.Secret {
	return secretOf(run, load, contract.DataOfferName(load.GetName()))
}

func secretOf(run *v1alpha1.BenchmarkRun, trial metav1.Object, name string) *corev1.Secret {
	meta := Meta(run, name, Labels(run, v1alpha1.RoleUpload))
	owner := metav1.NewControllerRef(trial, corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	owner.BlockOwnerDeletion = nil // some clusters want the right to change the owner's finalizers for it
	meta.OwnerReferences = []metav1.OwnerReference{*owner}
	return &corev1.Secret{ObjectMeta: meta, Immutable: new(true)}
}

// uploadRules let the clients of the running execution read the Secrets of their uploads; none without an object store.
func (c Client) uploadRules() []rbacv1.PolicyRule {
	if c.Trial.Store == nil {
		return nil
	}
	var names []string
	if c.Trial.DataSet != "" {
		names = append(names, contract.DataOfferName(c.Name))
	}
	for i := range c.count() {
		names = append(names, contract.UploadName(c.Name, i))
	}
	return []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: names, Verbs: []string{"get"}}}
}
