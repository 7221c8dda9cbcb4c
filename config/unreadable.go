package config

import (
	"errors"
	"io/fs"
	"unicode/utf8"
)

// unreadable is a file that an option names and that cannot be used.
type unreadable struct {
	path, why string
	// content: the file was read, and what it says is wrong.
	content bool
}

func (u *unreadable) Error() string { return "cannot use file " + show(u.path) + ": " + u.why }

// readText reads a file that must exist and be text.
func (in *Input) readText(path string) ([]byte, error) {
	content, err := in.read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &unreadable{path: path, why: "it does not exist"}
	case errors.Is(err, fs.ErrPermission):
		return nil, &unreadable{path: path, why: "permission denied"}
	case err != nil:
		return nil, &unreadable{path: path, why: rootCause(err).Error()}
	case !utf8.Valid(content):
		return nil, &unreadable{path: path, why: "it is not text in UTF-8"}
	}
	return content, nil
}

// rootCause drops the wrapping that repeats the path.
func rootCause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
