package config

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

// Input is everything that Load reads. It reads nothing else of the process.
type Input struct {
	// Args are the command line's words after the program and its subcommand.
	Args []string
	// Environ is the environment as os.Environ returns it.
	Environ []string
	// ReadFile reads a file that an option names. Errors are classified with
	// errors.Is against fs.ErrNotExist and fs.ErrPermission.
	ReadFile func(path string) ([]byte, error)
	// Home is the user's home directory, "" when there is none.
	Home string
	// System is the operating system as in runtime.GOOS; with "" no option is refused as unsupported.
	System string
	// OldNode reports whether a directory is the existing node's data directory; nil means that none is.
	OldNode func(dir string) bool
}

// maxFileBytes bounds each file that an option names.
const maxFileBytes = 1 << 20

var errTooLarge = errors.New("the file is larger than 1 MiB")

// read returns the content of a file named by the operator.
func (in *Input) read(path string) ([]byte, error) {
	if in.ReadFile == nil {
		return nil, fs.ErrNotExist
	}
	content, err := in.ReadFile(in.expand(path))
	if err == nil && len(content) > maxFileBytes {
		return nil, errTooLarge
	}
	return content, err
}

// expand replaces a leading "~/" with the home directory: shells do not expand it in -name=~/path,
// nor in files.
func (in *Input) expand(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && in.Home != "" {
		return filepath.Join(in.Home, rest)
	}
	return path
}
