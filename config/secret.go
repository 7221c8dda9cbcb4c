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

// readSecret takes a text as a secret: if it names a file that exists, the file's content without
// surrounding space, otherwise the text itself. A file or directory that exists and cannot be read is
// an error: its name, which is not secret, must not become the secret. A container engine makes a
// directory of a file that it shall mount and does not find. A word without a separator may be a secret
// that a directory here happens to be named after.
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
