package migrate

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// cell is one value of the existing node's database: the class in which SQLite keeps
// it, and its bytes. Releases kept the same thing in different classes, so each kind
// of value takes all that can be meant.
type cell struct {
	class string
	bytes []byte
}

const (
	classNull = "null"
	classBlob = "blob"
	classReal = "real"
)

// fixed reads bytes of a known length: as they are, or in hexadecimal digits.
func (c cell) fixed(into []byte) error {
	if c.class == classBlob && len(c.bytes) == len(into) {
		copy(into, c.bytes)
		return nil
	}
	digits := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(string(c.bytes)), "0x"), "0X")
	if len(digits) != 2*len(into) {
		return fmt.Errorf("%d bytes expected, %d found", len(into), len(c.bytes))
	}
	_, err := hex.Decode(into, []byte(digits))
	if err != nil {
		return errors.New("no hexadecimal digits")
	}
	return nil
}

// mostDigits is more than a number of 256 bits has.
const mostDigits = 80

// number reads a number that is not negative and has at most 256 bits: big-endian
// bytes, decimal digits, or hexadecimal ones behind 0x.
func (c cell) number() (*big.Int, error) {
	n := new(big.Int)
	switch {
	case c.class == classNull:
		return nil, errors.New("no number")
	case c.class == classReal:
		return nil, errors.New("a number that was rounded")
	case c.class == classBlob && len(c.bytes) <= 32:
		return n.SetBytes(c.bytes), nil
	}
	text, base := strings.TrimSpace(string(c.bytes)), 10
	if rest, ok := strings.CutPrefix(text, "0x"); ok {
		text, base = rest, 16
	}
	if len(text) > mostDigits {
		return nil, errors.New("too long for a number")
	}
	if _, ok := n.SetString(text, base); !ok || n.Sign() < 0 || n.BitLen() > 256 {
		return nil, errors.New("not a number of 256 bits")
	}
	return n, nil
}

func (c cell) word() (protocol.Word, error) {
	n, err := c.number()
	if err != nil {
		return protocol.Word{}, err
	}
	w, _ := protocol.WordOf(n)
	return w, nil
}

func (c cell) wei() (core.Wei, error) {
	n, err := c.number()
	if err != nil {
		return core.Wei{}, err
	}
	return core.WeiOf(n)
}

// small reads a number that a column of whole numbers holds.
func (c cell) small() (uint64, error) {
	n, err := c.number()
	if err != nil {
		return 0, err
	}
	if !n.IsInt64() {
		return 0, errors.New("the number is out of range")
	}
	return n.Uint64(), nil
}
