package settings

import (
	"testing"
)

func TestInteger(t *testing.T) {
	tests := map[string]struct {
		value string
		want  int64
		ok    bool
	}{
		"a number":                    {"16382", 16382, true},
		"a number with a suffix":      {"16k", 16384, true},
		"a negative number":           {"-1", -1, true},
		"no number":                   {"many", 0, false},
		"nothing":                     {"", 0, false},
		"a number beyond 64 bits":     {"9999999999999999999", 0, false},
		"a suffix that is beyond too": {"99999999E", 0, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got, ok := Integer(tt.value); got != tt.want || ok != tt.ok {
				t.Errorf("Integer(%q) = %d, %t, want %d, %t", tt.value, got, ok, tt.want, tt.ok)
			}
		})
	}
}
