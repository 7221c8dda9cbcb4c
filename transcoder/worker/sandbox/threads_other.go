//go:build !linux

package sandbox

// Threads is how many threads a worker may have, 0 where nobody counts.
func Threads() int { return 0 }

// KeepScore has nothing to do here.
func KeepScore(int) {}

// ScoreLowered is not known here.
func ScoreLowered(int) bool { return false }
