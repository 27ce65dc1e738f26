package provision

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Barred is a run that has asked for nothing, and cannot, where it has to.
func TestBarred(t *testing.T) {
	unserved := func(in *Input) { in.Requested.Refused = "the API is missing" }
	for name, tt := range map[string]struct {
		in   Input
		want bool
	}{
		"it can ask":                       {asking(), false},
		"it cannot":                        {asking(unserved), true},
		"it does not have to":              {asking(without(true, true), unserved), false},
		"it has placeholders":              {asking(unserved, pending(0)), false},
		"it asked, and that is not seen":   {asking(unserved, func(in *Input) { templates(1, in.requests()[0].Sets...)(in) }), false},
		"it asked for one pool, and lacks": {asking(requested(ofTargets, 1), unserved), false},
	} {
		if got := Barred(tt.in); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}

// A placeholder that is left of the time before a suspension counts from its end.
func TestOverdue(t *testing.T) {
	made := func(minutes int) func(*Input) {
		return func(in *Input) {
			pending(0)(in)
			for _, job := range in.Children.Placeholders {
				job.CreationTimestamp = metav1.Time{Time: noon.Add(-time.Duration(minutes) * time.Minute)}
			}
		}
	}
	for name, tt := range map[string]struct {
		in   Input
		want bool
	}{
		"nothing was made":                       {asking(wentOn(99)), false},
		"within its time":                        {asking(made(15), wentOn(99)), false},
		"later":                                  {asking(made(16), wentOn(99)), true},
		"left of before the suspension":          {asking(made(99), wentOn(15)), false},
		"left, and the run waited for too long":  {asking(made(99), wentOn(16)), true},
		"no status says when the run was queued": {asking(made(16)), true},
	} {
		if got := Overdue(tt.in.Run, tt.in.Need, tt.in.Children, tt.in.Now); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}
