package account

import (
	"crypto/ecdsa"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/google/uuid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/privatefile"
)

// Create makes a new key and writes it, sealed with the passphrase.
func (k *Keystore) Create(passphrase core.Secret, random io.Reader, now time.Time) (Entry, error) {
	key, err := ecdsa.GenerateKey(crypto.S256(), random)
	if err != nil {
		return Entry{}, fmt.Errorf("make a key: %w", err)
	}
	return k.add(key, passphrase, random, now)
}

// ImportKey adds a private key of 64 hexadecimal digits.
func (k *Keystore) ImportKey(private core.Secret, passphrase core.Secret, random io.Reader, now time.Time) (Entry,
	error) {
	digits := strings.TrimPrefix(strings.TrimSpace(private.Reveal()), "0x")
	key, err := crypto.HexToECDSA(digits)
	if err != nil {
		// The cause could quote the key's digits.
		return Entry{}, fault.New(fault.AccountFileInvalid, "import a private key",
			"it is not 64 hexadecimal digits of a valid key")
	}
	return k.add(key, passphrase, random, now)
}

// ImportFile adds the key of a key file made elsewhere. It keeps its passphrase.
func (k *Keystore) ImportFile(path string, passphrase core.Secret, now time.Time, random io.Reader) (Entry, error) {
	content, err := readFile(path)
	if err != nil {
		return Entry{}, err
	}
	key, err := open(path, content, passphrase)
	if err != nil {
		return Entry{}, err
	}
	return k.add(key, passphrase, random, now)
}

func (k *Keystore) add(key *ecdsa.PrivateKey, passphrase core.Secret, random io.Reader, now time.Time) (Entry, error) {
	address := core.Address(crypto.PubkeyToAddress(key.PublicKey))
	entries, err := k.List()
	if err != nil {
		return Entry{}, err
	}
	for _, e := range entries {
		if e.Address == address {
			return Entry{}, fault.New(fault.AccountExists, "add a key", address.String()+" in "+e.Path)
		}
	}
	if passphrase.IsZero() {
		return Entry{}, fault.New(fault.AccountPasswordMissing, "add a key", "a key is never stored without a passphrase")
	}
	id, err := uuid.NewRandomFromReader(random)
	if err != nil {
		return Entry{}, fmt.Errorf("make a key's identifier: %w", err)
	}
	sealed, err := keystore.EncryptKey(&keystore.Key{Id: id, Address: crypto.PubkeyToAddress(key.PublicKey),
		PrivateKey: key}, passphrase.Reveal(), k.cost.N, k.cost.P)
	if err != nil {
		return Entry{}, fmt.Errorf("seal the key: %w", err)
	}
	path := filepath.Join(k.path, fileName(address, now))
	if err := os.MkdirAll(k.path, 0o700); err != nil {
		return Entry{}, fault.WrapWrite(fault.KeystoreUnusable, "make the keystore", err)
	}
	// An account that was funded must not be lost to a power cut.
	if err := privatefile.Create(path, sealed); err != nil {
		return Entry{}, fault.WrapWrite(fault.KeystoreUnusable, "write the key file", err)
	}
	return Entry{Address: address, Path: path}, nil
}

// fileName returns the name that other tools of the chain expect.
func fileName(address core.Address, now time.Time) string {
	return keyFilePrefix + now.UTC().Format("2006-01-02T15-04-05.000000000Z") + "--" + hex.EncodeToString(address[:])
}
