package harness

import (
	"fmt"
	"os"
)

// Main is a TestMain's work: build puts the programs under test into a directory of
// their own, then tests runs. It returns the exit status.
func Main(build func(dir string) error, tests func() int) int {
	dir, err := os.MkdirTemp("", "tutti-test")
	if err == nil {
		defer os.RemoveAll(dir)
		err = build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return tests()
}

// Node is the build of a package that tests the node alone: it records where that is.
func Node(binary *string) func(dir string) error {
	return func(dir string) (err error) {
		*binary, err = Build(dir)
		return err
	}
}
