package contracts

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// convert turns the contracts' numbers into domain types and keeps the first error. An endpoint may
// send anything: a number may be out of range or missing.
type convert struct{ err error }

var (
	errNumberMissing = errors.New("a number is missing")
	errOutOfRange    = errors.New("a number is out of range")
)

func (c *convert) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *convert) lpt(n *big.Int) core.LPT {
	if n == nil {
		c.fail(errNumberMissing)
		return core.LPT{}
	}
	v, err := core.LPTOf(n)
	if err != nil {
		c.fail(err)
	}
	return v
}

func (c *convert) wei(n *big.Int) core.Wei {
	if n == nil {
		c.fail(errNumberMissing)
		return core.Wei{}
	}
	v, err := core.WeiOf(n)
	if err != nil {
		c.fail(err)
	}
	return v
}

// number converts a number that fits 64 bits by its nature.
func (c *convert) number(n *big.Int) uint64 {
	switch {
	case n == nil:
		c.fail(errNumberMissing)
		return 0
	case !n.IsUint64():
		c.fail(fmt.Errorf("%w: %s", errOutOfRange, n))
		return 0
	}
	return n.Uint64()
}

// round reads everything beyond 64 bits as Never, which the contracts write as
// 2^256-1.
func (c *convert) round(n *big.Int) protocol.Round {
	if n != nil && n.Sign() > 0 && !n.IsUint64() {
		return protocol.Never
	}
	return protocol.Round(c.number(n))
}

func (c *convert) l1(n *big.Int) protocol.L1Block { return protocol.L1Block(c.number(n)) }

func (c *convert) lock(n *big.Int) protocol.LockID { return protocol.LockID(c.number(n)) }

func (c *convert) share(n *big.Int) core.PerMillion {
	v := c.number(n)
	if v > uint64(core.Whole) {
		c.fail(fmt.Errorf("%w: a share of %d per million", errOutOfRange, v))
		return 0
	}
	return core.PerMillion(v)
}

// precise reads a share on the scale of 10^27 = 100 % and truncates it to parts per billion.
func (c *convert) precise(n *big.Int) protocol.PerBillion {
	if n == nil {
		c.fail(errNumberMissing)
		return 0
	}
	return c.perBillion(new(big.Int).Quo(n, big.NewInt(1_000_000_000_000_000_000)))
}

func (c *convert) perBillion(n *big.Int) protocol.PerBillion { return protocol.PerBillion(c.number(n)) }

// count converts the size of a list.
func (c *convert) count(n *big.Int) int {
	v := c.number(n)
	if v > math.MaxInt32 {
		c.fail(fmt.Errorf("%w: a list of %d", errOutOfRange, v))
		return 0
	}
	return int(v)
}

// big copies a factor that has a scale of its own.
func (c *convert) big(n *big.Int) *big.Int {
	if n == nil {
		c.fail(errNumberMissing)
		return new(big.Int)
	}
	return new(big.Int).Set(n)
}

// moment converts a block's timestamp.
func (c *convert) moment(n *big.Int) time.Time {
	v := c.number(n)
	if v > math.MaxInt32*1000 {
		c.fail(fmt.Errorf("%w: %d is no block time", errOutOfRange, v))
		return time.Time{}
	}
	return time.Unix(int64(v), 0).UTC()
}

// word converts a number that uses all 256 bits.
func (c *convert) word(n *big.Int) protocol.Word {
	if n == nil {
		c.fail(errNumberMissing)
		return protocol.Word{}
	}
	w, ok := protocol.WordOf(n)
	if !ok {
		c.fail(fmt.Errorf("%w: %s", errOutOfRange, n))
	}
	return w
}

// The functions below make setters for answers that are one value.

func setAddress(out *core.Address) func(*convert, common.Address) {
	return func(_ *convert, v common.Address) { *out = core.Address(v) }
}

func setHash(out *protocol.Hash) func(*convert, [32]byte) {
	return func(_ *convert, v [32]byte) { *out = v }
}

func setBool(out *bool) func(*convert, bool) {
	return func(_ *convert, v bool) { *out = v }
}

func setText(out *string) func(*convert, string) {
	return func(_ *convert, v string) { *out = v }
}

// set makes a setter for a number with one of convert's methods: set(out, (*convert).round).
func set[T any](out *T, by func(*convert, *big.Int) T) func(*convert, *big.Int) {
	return func(c *convert, n *big.Int) { *out = by(c, n) }
}
