module github.com/assay-bench/assay/hack/autoscaler

go 1.26

// The tests install the CRD of ProvisioningRequests out of this module (Apache License 2.0). Nothing of it is compiled or shipped.
require k8s.io/autoscaler/cluster-autoscaler/apis v0.0.0-20240830133931-adfbe7e45277
