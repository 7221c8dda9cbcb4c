// Package secretfile keeps random secrets in files of the data directory, so that what
// was signed with them stays good when the node starts again. Each is a file of its own,
// 64 hex digits that only the owner reads; nodes with copies of it take what the others
// signed.
package secretfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Secret is as long as the keys of HMAC-SHA256 should be.
type Secret [sha256.Size]byte

// ErrDamaged: the file holds no secret.
var ErrDamaged = errors.New("it does not hold 64 hex digits")

// Open reads the secret in a file, and makes it from random where there is none, with its
// directory. Processes that make it at the same time get the same one. Errors are those
// of the file system, or ErrDamaged.
func Open(path string, random io.Reader) (Secret, error) {
	s, err := read(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if err := create(path, random); err != nil {
		return Secret{}, err
	}
	return read(path)
}

func read(path string) (s Secret, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	secret, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(secret) != len(s) {
		return s, fmt.Errorf("read %s: %w", path, ErrDamaged)
	}
	return Secret(secret), nil
}

// create writes a new secret; where another process was faster its secret stays.
func create(path string, random io.Reader) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	var s Secret
	if _, err := io.ReadFull(random, s[:]); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(hex.EncodeToString(s[:]) + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err = os.Link(file.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return os.Rename(file.Name(), path) // file systems without links
	}
	return nil
}
