package upgrade

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/internal/ground/config"
)

// A version that was removed from the catalogue with null, as docs/guide/install.md says, stays removed by an upgrade that reuses the
// values, whichever way, and comes back with one that resets them.
func TestARemovedVersionAndUpgrades(t *testing.T) {
	h := newHelm(t)
	const chart = top + "/charts/assay"
	h.must("upgrade", chart, "--install", "--create-namespace", "--reset-values", `--set-json=engines.MariaDB={"10.11":null,"99":{"image":"own:99"}}`)
	for _, step := range []struct {
		how     string
		removed bool
	}{{"--reuse-values", true}, {"--reset-then-reuse-values", true}, {"--reuse-values", true}, {"--reset-values", false}} {
		h.must("upgrade", chart, step.how)
		cm := &corev1.ConfigMap{}
		if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: "assay-system", Name: "assay-manager-config"}, cm); err != nil {
			t.Fatal(err)
		}
		c, err := config.Parse([]byte(cm.Data["config.yaml"]))
		if err != nil {
			t.Fatalf("%s: %v", step.how, err)
		}
		versions := c.Engines["MariaDB"]
		if versions["10.11"].Image != "" == step.removed || versions["11.8"].Image == "" || (versions["99"].Image == "own:99") != step.removed {
			t.Errorf("%s: the catalogue has %v, want 10.11 removed and 99 added: %v", step.how, versions, step.removed)
		}
	}
}
