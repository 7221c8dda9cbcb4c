package account

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// maxKeyFile bounds what is read of a key file, in bytes; real ones have 500.
const maxKeyFile = 64 << 10

// Entry is one key of a keystore.
type Entry struct {
	Address core.Address
	Path    string
}

// Keystore is a directory of key files, or a single key file.
type Keystore struct {
	path string
	// cost is how much work a passphrase guess is.
	cost Cost
}

// Cost is the work that opening a key takes, for the node and for a thief of the file.
type Cost struct{ N, P int }

// The usual costs: Standard takes about a second and 256 MB, Light a few
// milliseconds; Light is for tests and throwaway keys only. Read-only.
var (
	Standard = Cost{N: 1 << 18, P: 1}
	Light    = Cost{N: 1 << 12, P: 6}
)

// Open names a keystore; the directory need not exist yet.
func Open(path string, cost Cost) *Keystore { return &Keystore{path: path, cost: cost} }

// Path returns the directory or file that was named.
func (k *Keystore) Path() string { return k.path }

// keyFilePrefix is the prefix that all tools give key files.
const keyFilePrefix = "UTC--"

// List returns the keys in the order of their addresses. A missing directory is an
// empty keystore. Files that are no key files are passed over, but not one that is
// named as one and cannot be read: that is AccountFileInvalid, as it is for a
// single file.
func (k *Keystore) List() ([]Entry, error) {
	info, err := os.Stat(k.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fault.Wrap(fault.KeystoreUnusable, "read the keystore", err)
	case !info.IsDir():
		e, err := entry(k.path)
		if err != nil {
			return nil, err
		}
		return []Entry{e}, nil
	}
	files, err := os.ReadDir(k.path)
	if err != nil {
		return nil, fault.Wrap(fault.KeystoreUnusable, "read the keystore", err)
	}
	var out []Entry
	for _, f := range files {
		if !f.Type().IsRegular() || strings.HasPrefix(f.Name(), ".") || strings.HasSuffix(f.Name(), "~") {
			continue
		}
		e, err := entry(filepath.Join(k.path, f.Name()))
		if errors.Is(err, fault.AccountFileInvalid) && !strings.HasPrefix(f.Name(), keyFilePrefix) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Address.String(), b.Address.String()) })
	return out, nil
}

// Choose finds the key of an address. The zero address takes the only key there
// is: no key is AccountMissing, several are AccountAmbiguous.
func (k *Keystore) Choose(want core.Address) (Entry, error) {
	entries, err := k.List()
	if err != nil {
		return Entry{}, err
	}
	if !want.IsZero() {
		for _, e := range entries {
			if e.Address == want {
				return e, nil
			}
		}
		return Entry{}, fault.New(fault.AccountUnknown, "choose the account",
			fmt.Sprintf("%s is not among %s in %s", want, addresses(entries), k.path))
	}
	switch len(entries) {
	case 0:
		return Entry{}, fault.New(fault.AccountMissing, "choose the account", "the keystore "+k.path+" is empty")
	case 1:
		return entries[0], nil
	}
	return Entry{}, fault.New(fault.AccountAmbiguous, "choose the account", addresses(entries)+" in "+k.path)
}

func addresses(entries []Entry) string {
	if len(entries) == 0 {
		return "no keys"
	}
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.Address.String()
	}
	return strings.Join(out, ", ")
}

// entry reads whose key a file holds, without opening it.
func entry(path string) (Entry, error) {
	content, err := readFile(path)
	if err != nil {
		return Entry{}, err
	}
	var file struct {
		Address string          `json:"address"`
		Crypto  json.RawMessage `json:"crypto"`
		Old     json.RawMessage `json:"Crypto"`
	}
	if err := json.Unmarshal(content, &file); err != nil || file.Crypto == nil && file.Old == nil {
		return Entry{}, fault.New(fault.AccountFileInvalid, "read the key file "+path, "")
	}
	address, err := core.ParseAddress("0x" + strings.TrimPrefix(strings.ToLower(file.Address), "0x"))
	if err != nil {
		return Entry{}, fault.Wrap(fault.AccountFileInvalid, "read the key file "+path, err)
	}
	return Entry{Address: address, Path: path}, nil
}

// readFile reads a file that holds a key or something of its size.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Wrap(fault.KeystoreUnusable, "read the key file", err)
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1)) // it may be a device without an end
	switch {
	case err != nil:
		return nil, fault.Wrap(fault.KeystoreUnusable, "read the key file", err)
	case len(content) > maxKeyFile:
		return nil, fault.New(fault.AccountFileInvalid, "read the key file "+path, "it is larger than a key file is")
	}
	return content, nil
}
