package settings

// SameValue reports whether two servers show the same value of a variable: 1 and ON, a list in another order, a path with a
// slash at its end.
func SameValue(variable, one, other string) bool {
	return one == other || sameValue(variable, one, other, "") && sameValue(variable, other, one, "")
}
