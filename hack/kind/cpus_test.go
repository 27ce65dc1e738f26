package kind

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// What CPUS=static needs goes behind the line evictionHard: hack/cluster-up.sh refuses a configuration in which that is not the whole entry,
// because it would go between the key and its values.
func TestThePlaceOfTheCPUPolicy(t *testing.T) {
	script, err := os.ReadFile("../cluster-up.sh")
	if err != nil {
		t.Fatal(err)
	}
	check := regexp.MustCompile(`(?ms)^check_cpus\(\) \{.*?^\}$`).Find(script)
	if check == nil {
		t.Fatal("hack/cluster-up.sh has no function check_cpus")
	}
	local, err := os.ReadFile("cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		config string
		taken  bool
	}{
		"the local cluster": {string(local), true},
		"a block":           {"- |\n  kind: KubeletConfiguration\n  evictionHard:\n    nodefs.available: \"0%\"\nnodes: []\n", false},
		"several lines":     {"- |\n  kind: KubeletConfiguration\n  evictionHard: {nodefs.available: \"0%\",\n    nodefs.inodesFree: \"0%\"}\nnodes: []\n", false},
		"no such line":      {"nodes: []\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "cluster.yaml")
			if err := os.WriteFile(path, []byte(tt.config), 0o600); err != nil {
				t.Fatal(err)
			}
			run := exec.Command("bash", "-euc", "fail() { echo \"$*\"; exit 1; }\ngetconf() { echo 2; }\n"+string(check)+"\ncheck_cpus")
			run.Env = append(os.Environ(), "CPUS=static", "config="+path)
			if said, err := run.CombinedOutput(); (err == nil) != tt.taken {
				t.Errorf("taken: %v, want %v: %v: %s", err == nil, tt.taken, err, said)
			}
		})
	}
}
