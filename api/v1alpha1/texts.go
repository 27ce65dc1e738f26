package v1alpha1

// The bounds of the texts of the API. To Go, all of them are plain strings. A type without generated copies
// (object:generate=false) has the bounds at its fields, because controller-gen copies no alias by assignment.

// Name of an object, a node, a measurement or a unit, or another word of its kind.
// +kubebuilder:validation:MaxLength=253
type Name = string

// Digest is a SHA-256 in hexadecimal, a UID, or another identifier of that length.
// +kubebuilder:validation:MaxLength=64
type Digest = string

// Figure is a decimal number that Assay computed, such as a ratio or a probability.
// +kubebuilder:validation:MaxLength=64
type Figure = string

// Number is a decimal number that was measured, with all its digits.
// +kubebuilder:validation:MaxLength=512
type Number = string

// Line is one line of text, or the name of an image.
// +kubebuilder:validation:MaxLength=1024
type Line = string

// Percentage such as 5% or 0.1%.
// +kubebuilder:validation:MaxLength=8
// +kubebuilder:validation:Pattern=`^[0-9]{1,3}(\.[0-9]{1,3})?%$`
type Percentage = string

// Direction in which a measurement is better; absent where neither is.
// +kubebuilder:validation:Enum=HigherIsBetter;LowerIsBetter
type Direction = string
