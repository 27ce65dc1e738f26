package follow

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/apischema"
)

// checked says what is wrong in the spec of a run that the API server refused, in the words of `plan`: all fields, where the
// server names the first one. It is nil where nothing is wrong as far as this program knows the API, and for other objects;
// then the server's own words count. It is asked after the server, which may know fields that are newer.
func checked(u *unstructured.Unstructured) error {
	if !isRun(u) || u.GetAPIVersion() != v1alpha1.GroupVersion.String() {
		return nil
	}
	if err := apischema.CheckTop(u.Object); err != nil {
		return err
	}
	rules, err := apischema.ForSpec()
	if err != nil {
		return err
	}
	spec, err := json.Marshal(u.Object["spec"])
	if err != nil {
		return fmt.Errorf("its spec: %w", err)
	}
	_, err = rules.Complete(spec)
	return err
}
