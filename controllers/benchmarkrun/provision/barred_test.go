package provision

import "testing"

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
