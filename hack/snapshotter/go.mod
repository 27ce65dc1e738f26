module github.com/assay-bench/assay/hack/snapshotter

go 1.26

// The tests install the CRDs of VolumeSnapshots out of this module (Apache License 2.0). Nothing of it is compiled or shipped.
require github.com/kubernetes-csi/external-snapshotter/client/v8 v8.7.0
