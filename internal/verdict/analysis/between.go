package analysis

import (
	"cmp"
	"fmt"

	"github.com/assay-bench/assay/internal/trial/likeness"
)

// RunDifference is what differs between two runs, or is not known of both.
type RunDifference struct {
	// Code of the difference: what the other fields are of.
	Code RunDifferenceCode `json:"code"`
	// First and Second are the names of the runs.
	First  string `json:"first"`
	Second string `json:"second"`
	// Target of a fact, of which it is; empty for a field of the spec, and for the order.
	Target string `json:"target,omitempty"`
	// Name of the field, such as spec.clients.nodeSelector, of the setting or of another fact; empty for other codes.
	Name string `json:"name,omitempty"`
	// FirstValue and SecondValue are the values of both runs; empty where one has no such thing.
	FirstValue  string `json:"firstValue,omitempty"`
	SecondValue string `json:"secondValue,omitempty"`
	// Class of a fact, and Why it matters.
	Class likeness.Class `json:"class,omitempty"`
	Why   string         `json:"why,omitempty"`
	// Unknown are the classes of facts that are not known of both runs.
	Unknown []likeness.Class `json:"unknown,omitempty"`
	// Seed of the random order that both runs had; nil for other codes.
	Seed *int64 `json:"seed,omitempty"`
}

// RunDifferenceCode is what a difference between two runs is.
type RunDifferenceCode string

// Codes of differences between runs.
const (
	// FieldDiffers: a field of the spec, by Name, has two values.
	FieldDiffers RunDifferenceCode = "FieldDiffers"
	// FactDiffers: a setting or another fact of Target, by Name and Class, has two values. Of the class
	// machineSpeed, Why has the difference with its interval.
	FactDiffers RunDifferenceCode = "FactDiffers"
	// NotKnown: the classes Unknown of Target are not known of both runs.
	NotKnown RunDifferenceCode = "NotKnown"
	// SameRandomOrder: the trials of both runs had the order of Seed, so that an effect of the order repeats.
	SameRandomOrder RunDifferenceCode = "SameRandomOrder"
)

// inSpec is a field of a spec that differs, in the words of an error.
func (d RunDifference) inSpec() string {
	return fmt.Sprintf("%s (%s: %s, %s: %s)", d.Name, d.First, cmp.Or(d.FirstValue, "absent"), d.Second, cmp.Or(d.SecondValue, "absent"))
}

// differencesOf one target between two runs.
func differencesOf(first, second Run, target string, c likeness.Comparison) (out []RunDifference) {
	of := RunDifference{Code: FactDiffers, First: first.Name, Second: second.Name, Target: target}
	for _, d := range c.Objections() {
		one := of
		one.Name, one.FirstValue, one.SecondValue, one.Class, one.Why = d.Name, d.First, d.Second, d.Class, d.Why
		out = append(out, one)
	}
	if len(c.Unknown) > 0 {
		of.Code, of.Unknown = NotKnown, c.Unknown
		out = append(out, of)
	}
	return out
}
