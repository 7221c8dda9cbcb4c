package earnings

import (
	"math"
	"math/big"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
)

const (
	// exactPlaces is how many decimal places a number may take to be written exactly;
	// places is how many it gets when it has no end: a ticket's expected value is a
	// fraction of 2^256-1.
	exactPlaces = 40
	places      = 18
)

// Decimal writes wei as a decimal number: exactly where that has an end, and rounded
// to 18 places where it has none.
func Decimal(v pm.Value) string {
	r := v.Rat()
	n, exact := r.FloatPrec()
	if !exact || n > exactPlaces {
		n = places
	}
	text := r.FloatString(n)
	if n > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// wei returns the whole part of an amount that is whole and not negative by its meaning.
func wei(v pm.Value) core.Wei {
	w, err := core.WeiOf(v.Floor())
	if err != nil {
		return core.Wei{}
	}
	return w
}

// number returns an integer for an answer, whose numbers have 64 bits.
func number(n *big.Int) int64 {
	switch {
	case n == nil:
		return 0
	case n.IsInt64():
		return n.Int64()
	}
	return math.MaxInt64
}
