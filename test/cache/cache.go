// Package cache knows where deploy/deps keeps what it gets for tests: servers, models and
// engines, outside the tree. It gets nothing itself; the packages that run these programs
// ask it.
package cache

import (
	"os"
	"path/filepath"
)

// Dir is the directory, as deploy/deps/deps.sh chooses it.
func Dir() string {
	if dir := os.Getenv("TUTTI_CACHE"); dir != "" {
		return dir
	}
	if dir := os.Getenv("XDG_CACHE_HOME"); dir != "" {
		return filepath.Join(dir, "tutti")
	}
	return filepath.Join(os.Getenv("HOME"), ".cache", "tutti")
}
