//go:build !linux

package sandbox

// Threads is how many threads a worker may have, 0 where nobody counts.
func Threads() int { return 0 }
