//go:build unix

package worker

// self is the program that runs, whatever has become of its file.
func self() string { return "/proc/self/exe" }
