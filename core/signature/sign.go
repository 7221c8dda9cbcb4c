package signature

import (
	"bytes"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// Length is the size of a signature: r, s and one byte v that is 27 or 28.
const Length = 65

// Why a signature is invalid.
var (
	ErrLength = errors.New("signature is not 65 bytes long")
	ErrHighS  = errors.New("signature's s is above half the curve's order")
	ErrV      = errors.New("signature's v is neither 27 nor 28")
	ErrNoKey  = errors.New("signature belongs to no key")
	ErrSigner = errors.New("signature is another signer's")
)

// halfOrder is half of secp256k1's order, big-endian. Read-only.
var halfOrder = common.FromHex("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0")

// EthDigest returns the hash that an Ethereum signature over m is made of: the
// personal message form of EIP-191. Key stores that sign digests sign this one
// and add 27 to the last byte.
func EthDigest(m []byte) [HashSize]byte {
	const prefix = "\x19Ethereum Signed Message:\n"
	return Keccak256([]byte(prefix+strconv.Itoa(len(m))), m)
}

// NodeDigest returns the digest of what nodes sign by rule "NodeSign": EthDigest of
// the keccak of m.
func NodeDigest(m []byte) [HashSize]byte {
	h := Keccak256(m)
	return EthDigest(h[:])
}

// EthSign signs m as it is: results (whose preimage is a hash already) and
// tickets.
func EthSign(key *ecdsa.PrivateKey, m []byte) ([]byte, error) { return sign(key, EthDigest(m)) }

// NodeSign signs the keccak of m: requests, segments and ping replies.
func NodeSign(key *ecdsa.PrivateKey, m []byte) ([]byte, error) { return sign(key, NodeDigest(m)) }

func sign(key *ecdsa.PrivateKey, digest [HashSize]byte) ([]byte, error) {
	sig, err := crypto.Sign(digest[:], key)
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	sig[Length-1] += 27
	return sig, nil
}

// EthVerify returns nil when sig is signer's EthSign over m, else one of the
// errors of this package.
func EthVerify(signer common.Address, m, sig []byte) error {
	return verify(signer, EthDigest(m), sig)
}

// NodeVerify returns nil when sig is signer's NodeSign over m, else one of the
// errors of this package.
func NodeVerify(signer common.Address, m, sig []byte) error {
	return verify(signer, NodeDigest(m), sig)
}

func verify(signer common.Address, digest [HashSize]byte, sig []byte) error {
	got, err := recoverSigner(digest, sig)
	if err != nil {
		return err
	}
	if got != signer {
		return ErrSigner
	}
	return nil
}

// recoverSigner returns the signer. The form is checked first: every message has one valid signature per
// nonce, not two.
func recoverSigner(digest [HashSize]byte, sig []byte) (common.Address, error) {
	if len(sig) != Length {
		return common.Address{}, ErrLength
	}
	if bytes.Compare(sig[32:64], halfOrder) > 0 {
		return common.Address{}, ErrHighS
	}
	v := sig[Length-1]
	if v != 27 && v != 28 {
		return common.Address{}, ErrV
	}
	raw := bytes.Clone(sig)
	raw[Length-1] = v - 27
	pub, err := crypto.SigToPub(digest[:], raw)
	if err != nil {
		return common.Address{}, fmt.Errorf("%w: %w", ErrNoKey, err)
	}
	return crypto.PubkeyToAddress(*pub), nil
}
