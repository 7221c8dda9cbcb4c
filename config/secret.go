package config

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tuttinode/tutti/core"
)

// masked is what is shown in place of a part of a value that is secret.
const masked = "***"

// Secret is a value that is never shown.
type Secret = core.Secret

// readSecret returns the content of the file that s names, without surrounding space, or s itself where
// there is no such file. A file that exists and is empty, too large or not readable is an error: its name,
// which is not secret, must not become the secret. So is a directory whose path has a separator: a container
// engine creates a directory in place of a file that it was to mount and did not find. A directory named
// without a separator is no error: s may be a secret that is also the name of a directory here.
func readSecret(s string, in *Input) (Secret, error) {
	content, err := in.read(s)
	switch {
	case err == nil:
		trimmed := strings.TrimSpace(string(content))
		if trimmed == "" {
			return Secret{}, &unreadable{path: s, why: "the file is empty", content: true}
		}
		return core.NewSecret(trimmed), nil
	case errors.Is(err, fs.ErrPermission):
		return Secret{}, &unreadable{path: s, why: "permission denied"}
	case errors.Is(err, syscall.EISDIR) && strings.ContainsRune(s, filepath.Separator):
		return Secret{}, &unreadable{path: s, why: "it is a directory"}
	case errors.Is(err, syscall.EIO), errors.Is(err, errTooLarge):
		return Secret{}, &unreadable{path: s, why: err.Error()}
	}
	return core.NewSecret(s), nil
}
