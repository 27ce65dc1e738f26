package ycsb

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The tests of the Java part, as the build of the image runs them. They need a JDK and the
// jars that hack/maven.sh fetches: ASSAY_TEST_YCSB_JARS=$(hack/maven.sh runner-ycsb)
func TestJava(t *testing.T) {
	jars := os.Getenv("ASSAY_TEST_YCSB_JARS")
	if jars == "" {
		t.Skip("set ASSAY_TEST_YCSB_JARS to the folder that hack/maven.sh runner-ycsb prints")
	}
	out, err := exec.CommandContext(t.Context(), "java/build.sh", jars, filepath.Join(t.TempDir(), "assay-ycsb.jar")).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
