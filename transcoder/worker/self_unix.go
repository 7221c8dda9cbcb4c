//go:build unix

package worker

// self returns the program that runs, whatever has become of its file.
func self() string { return "/proc/self/exe" }
