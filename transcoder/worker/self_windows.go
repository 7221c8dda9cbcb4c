package worker

import "os"

// self returns the program that runs, whose file Windows keeps as it is meanwhile. Without
// its path, the start says what is wrong.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
