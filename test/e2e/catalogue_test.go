package e2e

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/assay-bench/assay/test/helpers/cluster"
)

// official is an image of a registry: the server of the catalogue in its place, and what makes of its environment the schema and the account that
// the entry point of the image makes of it.
type official struct{ image, start string }

// officials by their references. More SQL is for what an administrator does besides.
var officials = map[string]official{
	"docker.io/library/mariadb:11.8": {"mariadb:10.11", `[ -d /data/mysql ] || mariadb-install-db --no-defaults --datadir=/data --skip-test-db >/dev/null
		db=$MARIADB_DATABASE user=$MARIADB_USER password=$MARIADB_PASSWORD server="mariadbd --no-defaults"` + startServer},
	"docker.io/library/mysql:8.4": {"mysql:9.7", `[ -d /data/mysql ] || mysqld --no-defaults --initialize-insecure --datadir=/data
		db=$MYSQL_DATABASE user=$MYSQL_USER password=$MYSQL_PASSWORD server="mysqld --no-defaults --mysqlx=OFF"` + startServer},
}

// startServer with TLS by a certificate, where the Secret has one.
const startServer = `
		printf '%s\n' "CREATE DATABASE IF NOT EXISTS $db;" "CREATE USER IF NOT EXISTS $user IDENTIFIED BY '$password';" "GRANT ALL PRIVILEGES ON $db.* TO $user;" "$MORE_SQL" >/tmp/init.sql
		[ ! -e /tls/tls.crt ] || tls="--ssl-cert=/tls/tls.crt --ssl-key=/tls/tls.key"
		exec $server --datadir=/data --socket=/tmp/s --pid-file=/tmp/pid --init-file=/tmp/init.sql --skip-name-resolve $tls`

// fromCatalogue has a server of the catalogue in the place of an official image, as a namespace for runs admits it. Its data is on the volume that
// is mounted at /data, or goes with the pod; a certificate is in the Secret shop-tls.
func fromCatalogue(t *testing.T, spec corev1.PodSpec) corev1.PodSpec {
	t.Helper()
	server := &spec.Containers[0]
	from, known := officials[server.Image]
	if !known {
		t.Fatalf("no server of the catalogue stands in for %s", server.Image)
	}
	server.Image, server.Command = localImage(t, from.image), []string{"sh", "-c", from.start}
	volumes := map[string]corev1.VolumeSource{
		"tmp": {EmptyDir: &corev1.EmptyDirVolumeSource{}},
		"tls": {Secret: &corev1.SecretVolumeSource{SecretName: "shop-tls", Optional: new(true)}},
	}
	if len(server.VolumeMounts) == 0 {
		volumes["data"] = corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
	}
	for name, source := range volumes {
		mount := corev1.VolumeMount{Name: name, MountPath: "/" + name}
		if name == "data" {
			mount.SubPath = "data"
		}
		server.VolumeMounts = append(server.VolumeMounts, mount)
		spec.Volumes = append(spec.Volumes, corev1.Volume{Name: name, VolumeSource: source})
	}
	spec.TerminationGracePeriodSeconds = new(int64(1))
	spec.SecurityContext = &corev1.PodSecurityContext{FSGroup: new(int64(10001))}
	return cluster.Restricted(spec)
}

// ofTheCatalogue is a StatefulSet of a sample, with a server of the catalogue.
func ofTheCatalogue(t *testing.T, obj *unstructured.Unstructured) *appsv1.StatefulSet {
	t.Helper()
	set := &appsv1.StatefulSet{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, set); err != nil {
		t.Fatal(err)
	}
	set.Spec.Template.Spec = fromCatalogue(t, set.Spec.Template.Spec)
	return set
}
