package core

import (
	"encoding/hex"
	"errors"
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

// Address is an account on the chain. Its zero value means "none".
type Address [20]byte

var (
	// ErrAddressForm: not 0x and 40 hexadecimal digits.
	ErrAddressForm = errors.New("not an address of the form 0x and 40 hexadecimal digits")
	// ErrAddressChecksum: upper and lower case do not match the address; one
	// digit is likely mistyped.
	ErrAddressChecksum = errors.New(
		"the address's upper and lower case letters do not match its checksum, so a digit is likely wrong",
	)
)

// ParseAddress reads 0x and 40 hexadecimal digits. All-lower and all-upper case
// are taken as they are; mixed case must carry a valid checksum.
func ParseAddress(s string) (Address, error) {
	if len(s) != 2+2*len(Address{}) || s[0] != '0' || s[1]|0x20 != 'x' {
		return Address{}, ErrAddressForm
	}
	var a Address
	if _, err := hex.Decode(a[:], []byte(s[2:])); err != nil {
		return Address{}, ErrAddressForm
	}
	digits := s[2:]
	mixed := strings.ToLower(digits) != digits && strings.ToUpper(digits) != digits
	if mixed && a.String()[2:] != digits {
		return Address{}, ErrAddressChecksum
	}
	return a, nil
}

// IsZero reports whether no address is set.
func (a Address) IsZero() bool { return a == Address{} }

// String prints the address with its checksum in upper and lower case.
func (a Address) String() string { return common.Address(a).Hex() }

// MarshalText prints the address as String does.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads what ParseAddress reads.
func (a *Address) UnmarshalText(text []byte) error {
	v, err := ParseAddress(string(text))
	if err == nil {
		*a = v
	}
	return err
}
