package account

import (
	"crypto/ecdsa"
	"errors"
	"os"
	"runtime"
	"sync"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// Unlock opens a key. A key file that others may read is AccountFileOpen, a wrong
// passphrase AccountPassword.
func (k *Keystore) Unlock(e Entry, passphrase core.Secret) (*Signer, error) {
	s, err := k.Signer(e, passphrase)
	if err != nil {
		return nil, err
	}
	return s, s.Open()
}

// Signer is Unlock in two parts, because the second takes a second: an error in the file is returned at once,
// Open tries the passphrase.
func (k *Keystore) Signer(e Entry, passphrase core.Secret) (*Signer, error) {
	if err := requireOwnerOnly(e.Path); err != nil {
		return nil, err
	}
	content, err := readFile(e.Path)
	if err != nil {
		return nil, err
	}
	s := &Signer{address: e.Address, opened: make(chan struct{})}
	s.decrypt = sync.OnceValue(func() error {
		defer close(s.opened)
		s.key, s.failed = decryptKey(e, content, passphrase)
		return s.failed
	})
	return s, nil
}

// decryptKey opens the file and checks that it holds the key of its address.
func decryptKey(e Entry, content []byte, passphrase core.Secret) (*ecdsa.PrivateKey, error) {
	key, err := open(e.Path, content, passphrase)
	if err != nil {
		return nil, err
	}
	if got := core.Address(crypto.PubkeyToAddress(key.PublicKey)); got != e.Address {
		return nil, fault.New(fault.AccountFileInvalid, "open the key file "+e.Path,
			"it says "+e.Address.String()+" and holds the key of "+got.String())
	}
	return key, nil
}

// requireOwnerOnly refuses a file that others than its owner can read or write. Windows has access lists
// instead of modes, and those of a home directory are its owner's.
func requireOwnerOnly(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fault.Wrap(fault.KeystoreUnusable, "look at the key file", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return fault.New(fault.AccountFileOpen, "look at the key file", path+" has mode "+info.Mode().Perm().String())
	}
	return nil
}

func open(path string, content []byte, passphrase core.Secret) (*ecdsa.PrivateKey, error) {
	key, err := keystore.DecryptKey(content, passphrase.Reveal())
	switch {
	case errors.Is(err, keystore.ErrDecrypt):
		return nil, fault.New(fault.AccountPassword, "open the key file", path)
	case err != nil:
		return nil, fault.Wrap(fault.AccountFileInvalid, "open the key file "+path, err)
	}
	return key.PrivateKey, nil
}
