package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/assay-bench/assay/test/helpers/hang"
)

// The check passes when the manager is ready and all kinds are served, and names what is missing.
func TestCheck(t *testing.T) {
	if all := kinds(); !slices.Contains(all, "BenchmarkRun") || !slices.Contains(all, "InstanceShape") || slices.Contains(all, "BenchmarkRunList") || slices.Contains(all, "ListOptions") {
		t.Fatalf("kinds %v", all)
	}
	for name, tt := range map[string]struct {
		status int
		kinds  []string
		want   string
	}{
		"all is well":             {200, kinds(), ""},
		"a manager that is not":   {500, kinds(), "answers 500"},
		"old CRDs":                {200, []string{"BenchmarkRun"}, "does not serve"},
		"no CRDs, and no manager": {404, nil, "answers 404"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/readyz" {
					w.WriteHeader(tt.status)
					return
				}
				if r.URL.Path != "/apis/assay.dev/v1alpha1" || tt.kinds == nil {
					w.WriteHeader(http.StatusNotFound)
					return
				}
				list := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "assay.dev/v1alpha1"}
				for _, kind := range tt.kinds {
					list.APIResources = append(list.APIResources, metav1.APIResource{Name: strings.ToLower(kind) + "s", Kind: kind})
				}
				w.Header().Set("Content-Type", "application/json")
				if err := json.NewEncoder(w).Encode(list); err != nil {
					t.Error(err)
				}
			}))
			t.Cleanup(server.Close)
			config := &rest.Config{Host: server.URL}
			if tt.want != "" {
				err := errors.Join(checkReady(t.Context(), server.URL+"/readyz"), checkKinds(config))
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want one with %q", err, tt.want)
				}
				return
			}
			ctx, cancel := context.WithTimeout(t.Context(), hang.Limit)
			defer cancel()
			if err := checkUntil(ctx, config, server.URL+"/readyz", time.Millisecond); err != nil {
				t.Error(err)
			}
		})
	}
}
