package e2e

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// dropTables runs sysbench by hand, beside the operator.
func dropTables(t *testing.T, ns, address string, secret *corev1.Secret) {
	t.Helper()
	host := &v1alpha1.BenchmarkRun{}
	if err := api.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "host"}, host); err != nil {
		t.Fatal(err)
	}
	few := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("64Mi")}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "drop-tables", Namespace: ns},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: new(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: "sysbench", Image: host.Status.Resolved.RunnerImage, ImagePullPolicy: corev1.PullIfNotPresent,
				Command: []string{"sysbench"},
				Args: []string{
					"--mysql-host=" + address, "--mysql-user=" + string(secret.Data["username"]),
					"--mysql-password=" + string(secret.Data["password"]), "--mysql-db=assay", "--mysql-ssl=off", "--tables=2",
					"oltp_read_write", "cleanup",
				},
				Resources: corev1.ResourceRequirements{Requests: few, Limits: few},
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
		},
	}
	if err := api.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	eventually(t, time.Minute, func() string {
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
			return err.Error()
		}
		if pod.Status.Phase != corev1.PodSucceeded {
			return "pod drop-tables is " + string(pod.Status.Phase)
		}
		return ""
	})
}
