package privatefile

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

// Secret is random and signs what must stay good when the node starts again: 64 hex digits in a file
// of its own. Nodes with copies of it take what the others signed. It is as long as the keys of HMAC-SHA256 should be.
type Secret [sha256.Size]byte

// ErrDamaged: the file holds no secret.
var ErrDamaged = errors.New("it does not hold 64 hex digits")

// OpenSecret reads the secret in a file, and makes it from random where there is none, with its
// directory. Processes that make it at the same time get the same one. Errors are those
// of the file system, or ErrDamaged.
func OpenSecret(path string, random io.Reader) (Secret, error) {
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
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	var s Secret
	if _, err := io.ReadFull(random, s[:]); err != nil {
		return err
	}
	err := Create(path, []byte(hex.EncodeToString(s[:])+"\n"))
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return err
}
