package migrate

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/privatefile"
)

// maxKeyFile bounds what is read of a key file, in bytes; real ones have 500.
const maxKeyFile = 64 << 10

// Key is a sealed key of a keystore: its file, and whose it is.
type Key struct {
	Address core.Address
	Path    string
}

// KeysIn lists the key files of a data directory's keystore. Files that are none are
// passed over.
func KeysIn(dir string) ([]Key, error) {
	dir = filepath.Join(dir, KeystoreName)
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []Key
	for _, f := range files {
		if !f.Type().IsRegular() || strings.HasPrefix(f.Name(), ".") || strings.HasSuffix(f.Name(), "~") {
			continue
		}
		path := filepath.Join(dir, f.Name())
		owner, ok, err := ownerOf(path)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, Key{Address: owner, Path: path})
		}
	}
	return out, err
}

// ownerOf is whose key a file holds; false for what is no key file.
func ownerOf(path string) (core.Address, bool, error) {
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxKeyFile {
		return core.Address{}, false, err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return core.Address{}, false, err
	}
	owner, ok := parseKey(content)
	return owner, ok, nil
}

func parseKey(content []byte) (core.Address, bool) {
	var file struct {
		Address string          `json:"address"`
		Crypto  json.RawMessage `json:"crypto"` // also for files that write it with a capital
	}
	if json.Unmarshal(content, &file) != nil || len(file.Crypto) == 0 {
		return core.Address{}, false
	}
	owner, err := core.ParseAddress("0x" + strings.TrimPrefix(strings.ToLower(file.Address), "0x"))
	return owner, err == nil
}

// CopyKeys copies the keys that a data directory of ours does not have yet, for its
// owner only, and returns their relative paths.
func CopyKeys(keys []Key, dir string) ([]Key, error) {
	const op = "copy the existing node's keys"
	have, err := KeysIn(dir)
	if err != nil {
		return nil, fault.WrapWrite(fault.KeystoreUnusable, op, err)
	}
	known := make(map[core.Address]bool)
	for _, k := range have {
		known[k.Address] = true
	}
	into := filepath.Join(dir, KeystoreName)
	var copied []Key
	for _, k := range keys {
		if known[k.Address] {
			continue
		}
		if err := os.MkdirAll(into, 0o700); err != nil {
			return copied, fault.WrapWrite(fault.KeystoreUnusable, op, err)
		}
		path := filepath.Join(into, filepath.Base(k.Path))
		if err := copyWhole(k.Path, path); err != nil {
			return copied, fault.WrapWrite(fault.KeystoreUnusable, op, err)
		}
		known[k.Address] = true
		copied = append(copied, Key{Address: k.Address, Path: path})
	}
	return copied, nil
}

// copyWhole makes the copy whole or not at all. A file that is there is never
// replaced: it may be a key.
func copyWhole(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return privatefile.Create(to, content)
}
