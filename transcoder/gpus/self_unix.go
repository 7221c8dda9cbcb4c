//go:build unix

package gpus

// self is the program that runs, whatever has become of its file.
func self() string { return "/proc/self/exe" }
