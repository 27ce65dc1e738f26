package resources

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Files of a ConfigMap, by their names.
func Files(cm *corev1.ConfigMap) map[string][]byte {
	files := maps.Clone(cm.BinaryData)
	if files == nil {
		files = map[string][]byte{}
	}
	for name, text := range cm.Data {
		files[name] = []byte(text)
	}
	return files
}

// FilesDigest of a ConfigMap is the DigestOf its files.
func FilesDigest(cm *corev1.ConfigMap) string { return DigestOf(Files(cm)) }

// DigestOf files is the SHA-256 of what sha256sum prints of them in the order of their
// names, so that anybody can compute it.
func DigestOf(files map[string][]byte) string {
	var lines []byte
	for _, name := range slices.Sorted(maps.Keys(files)) {
		lines = fmt.Appendf(lines, "%x  %s\n", sha256.Sum256(files[name]), name)
	}
	return contract.Digest(lines)
}
