package apikeys

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"io"
	"strings"
)

// Hash is the SHA-256 of a secret.
//
// A fast hash is enough: the secrets are 256 random bits and cannot be guessed, so a slow hash
// would only cost time on every request. It also makes the look-up safe against timing attacks: a
// client cannot choose the bits that are compared.
type Hash [sha256.Size]byte

// HashOf returns the hash of a token as clients send it.
func HashOf(token string) Hash { return sha256.Sum256([]byte(token)) }

// String returns the hash in hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash reads 64 hex digits.
func ParseHash(s string) (Hash, error) {
	var h Hash
	if len(s) != hex.EncodedLen(len(h)) {
		return h, errors.New("not 64 hex digits")
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return h, errors.New("not 64 hex digits")
	}
	return h, nil
}

// secretPrefix tells people and scanners of source code what they found.
const secretPrefix = "tk-"

// base32Lower has no characters that break a word in two when it is marked. Read-only.
var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// NewSecret makes a secret of 256 random bits.
func NewSecret(random io.Reader) (string, error) {
	var bits [32]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return "", err
	}
	return secretPrefix + base32Lower.EncodeToString(bits[:]), nil
}

// idPrefix begins the IDs of keys that the store made.
const idPrefix = "k-"

// NewID makes an ID of 40 random bits.
func NewID(random io.Reader) (string, error) {
	var bits [5]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return "", err
	}
	return idPrefix + hex.EncodeToString(bits[:]), nil
}

// BearerToken takes the token out of an Authorization header, "" if there is none.
func BearerToken(header string) string {
	const scheme = "bearer "
	header = strings.TrimSpace(header)
	if len(header) < len(scheme) || !strings.EqualFold(header[:len(scheme)], scheme) {
		return ""
	}
	return strings.TrimSpace(header[len(scheme):])
}
