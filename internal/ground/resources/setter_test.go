package resources

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// The agent has an account for settings only where the running server is changed.
func TestSetterOfATarget(t *testing.T) {
	for name, tt := range map[string]struct {
		axis v1alpha1.Axis
		want bool
	}{
		"set":     {v1alpha1.Axis{Name: "config.sync_binlog"}, true},
		"started": {v1alpha1.Axis{Name: "config.sync_binlog", Apply: v1alpha1.ApplyRestart}, false},
		"neither": {v1alpha1.Axis{Name: "threads"}, false},
	} {
		db := target()
		db.Run.Spec.Matrix = []v1alpha1.Axis{tt.axis}
		if told := strings.Contains(db.ConfigMap().Data[contract.KeyTarget], `"setter":"`+SetterUsername+`"`); told != tt.want {
			t.Errorf("%s: %s", name, db.ConfigMap().Data[contract.KeyTarget])
		}
	}
}
