//go:build !linux

package sandbox

// Threads returns how many threads a worker may have, 0 where the system sets no limit.
func Threads() int { return 0 }

// KeepScore has nothing to do here.
func KeepScore(int) {}

// ScoreLowered is not known here.
func ScoreLowered(int) bool { return false }
