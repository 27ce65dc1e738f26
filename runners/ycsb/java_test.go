package ycsb

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The tests of the Java part, with the JDK of this machine; `make harness-test` runs them with that of the image. They need
// the jars that hack/maven.sh fetches: ASSAY_TEST_YCSB_JARS=$(hack/maven.sh runner-ycsb)
func TestJava(t *testing.T) {
	jars := os.Getenv("ASSAY_TEST_YCSB_JARS")
	if jars == "" {
		t.Skip("set ASSAY_TEST_YCSB_JARS to the folder that hack/maven.sh runner-ycsb prints")
	}
	binding := filepath.Join(t.TempDir(), "assay-ycsb.jar")
	for _, command := range [][]string{{"java/build.sh", jars, binding}, {"java/test.sh", binding + ":" + jars + "/*"}} {
		if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
}
