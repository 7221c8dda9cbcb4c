//go:build !linux || !amd64

package trace

import "errors"

func run(string, []string, *recorder, func() error) (int, error) {
	return 1, errors.New("system calls are traced on x86-64 Linux only")
}
