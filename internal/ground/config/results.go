package config

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Results is where the results of runs go, and how much of etcd they may take.
type Results struct {
	// Budget of bytes in etcd.
	Budget Budget `json:"budget"`
	// Store of objects for what outgrows ConfigMaps; without an endpoint there is none.
	Store Store `json:"store"`
}

// Budget is how many bytes of ConfigMaps the results of runs may take. Each is positive.
type Budget struct {
	// Run: one run. Default 512Mi.
	Run resource.Quantity `json:"run"`
	// Namespace: all runs that exist in a namespace. Default 768Mi.
	Namespace resource.Quantity `json:"namespace"`
	// Cluster: all runs that this manager knows. Default 1Gi, half of etcd's default quota.
	Cluster resource.Quantity `json:"cluster"`
	// LeastResult: what the result of each client may take at least. A run whose budget gives
	// its results less is refused. Default 64Ki.
	LeastResult resource.Quantity `json:"leastResult"`
}

func defaultResults() Results {
	return Results{
		Budget: Budget{
			Run: resource.MustParse("512Mi"), Namespace: resource.MustParse("768Mi"),
			Cluster: resource.MustParse("1Gi"), LeastResult: resource.MustParse("64Ki"),
		},
		Store: defaultStore(),
	}
}

func (r Results) check() error {
	for name, q := range map[string]resource.Quantity{
		"run": r.Budget.Run, "namespace": r.Budget.Namespace, "cluster": r.Budget.Cluster, "leastResult": r.Budget.LeastResult,
	} {
		if q.Value() <= 0 {
			return fmt.Errorf("results.budget.%s must be greater than 0, such as 512Mi", name)
		}
	}
	return r.Store.check()
}
