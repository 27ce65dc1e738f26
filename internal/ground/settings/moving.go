package settings

import (
	"slices"
	"strings"
)

// moving are how the names begin of variables that change between readings by themselves.
var moving = []string{"timestamp", "gtid_", "last_insert_id", "rand_seed", "pseudo_", "innodb_buffer_pool_dump_", "insert_id", "identity"}

// Moves reports whether a variable changes by itself, so that a difference between two readings says nothing of a setting.
func Moves(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(moving, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
