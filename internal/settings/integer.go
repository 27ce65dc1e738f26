package settings

// Integer reads the value of a setting as servers read a number: 276000, 16K, 1G. It is
// not ok for anything else, and for what does not fit into 64 bits.
func Integer(value string) (n int64, ok bool) {
	parsed := parseInteger(value)
	if parsed == nil || !parsed.IsInt64() {
		return 0, false
	}
	return parsed.Int64(), true
}
