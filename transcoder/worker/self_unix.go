//go:build unix

package worker

// self returns the running program, even if its file was replaced or removed.
func self() string { return "/proc/self/exe" }
