package ycsb

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The tests of the Java part, with the JDK of this machine; `make harness-test` runs them with that of the image. They need
// the jars that hack/maven.sh fetches: ASSAY_TEST_YCSB_JARS=$(hack/maven.sh runner-ycsb)
func TestJava(t *testing.T) {
	run(t, "java/test.sh", imageClasses(t))
}

func ycsbJars(t *testing.T) string {
	t.Helper()
	jars := os.Getenv("ASSAY_TEST_YCSB_JARS")
	if jars == "" {
		t.Skip("set ASSAY_TEST_YCSB_JARS to the folder that hack/maven.sh runner-ycsb prints")
	}
	return jars
}

// imageClasses are the class path of the image, with the binding as it is here. An older driver is in a folder of its own there.
func imageClasses(t *testing.T) string {
	t.Helper()
	jars := ycsbJars(t)
	files, err := filepath.Glob(filepath.Join(jars, "*.jar"))
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(file string) bool { return strings.HasPrefix(filepath.Base(file), "mysql-connector-java-") })
	return strings.Join(append(files, builtBinding(t, jars)), ":")
}

// javaClasses are those and Informix's driver, which no image has: ASSAY_TEST_INFORMIX_JARS=$(hack/maven.sh test-informix)
func javaClasses(t *testing.T) string {
	t.Helper()
	classes := imageClasses(t)
	informix := os.Getenv("ASSAY_TEST_INFORMIX_JARS")
	if informix == "" {
		t.Skip("set ASSAY_TEST_INFORMIX_JARS to the folder that hack/maven.sh test-informix prints")
	}
	return classes + ":" + informix + "/*"
}

func builtBinding(t *testing.T, jars string) string {
	t.Helper()
	binding := filepath.Join(t.TempDir(), "assay-ycsb.jar")
	run(t, "java/build.sh", jars, binding)
	return binding
}

func run(t *testing.T, script string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), script, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", script, args, err, out)
	}
}
