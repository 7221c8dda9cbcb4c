//go:build unix

package gpus

// self returns the program that runs, whatever has become of its file.
func self() string { return "/proc/self/exe" }
