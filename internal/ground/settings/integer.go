package settings

// Integer parses the value of a setting as servers parse a number: 276000, 16K, 1G. ok is
// false for other text and for more than 64 bits.
func Integer(value string) (n int64, ok bool) {
	parsed := parseInteger(value)
	if parsed == nil || !parsed.IsInt64() {
		return 0, false
	}
	return parsed.Int64(), true
}
