package verb

import (
	"math/big"
	"strings"

	"github.com/tuttinode/tutti/core"
)

// gasFactor is how many times the present price a bound may be without a doubt:
// prices rise by a hundredfold at times, and not by far more.
const gasFactor = 1000

// ParseGasBound reads a bound on the price of gas and doubts it by the present
// price, 0 where that is not known: a highest price below it stops every
// transaction, and a bound far above it bounds nothing.
func ParseGasBound(s string, highest bool, present core.Wei, check InputCheck) (core.Wei, error) {
	bound, err := ParseGasPrice(s)
	if err != nil || check == Trust {
		return bound, err
	}
	why := unusualGas(bound, highest, present)
	if why == "" {
		return bound, nil
	}
	d := &UnusualInput{Why: why, Readings: []reading{{FormatGasPrice(bound), s}}}
	if bare := strings.TrimSpace(s); digits(bare) {
		if other, err := ParseEther(bare + "gwei"); err == nil && unusualGas(other, highest, present) == "" {
			d.Readings = append(d.Readings, reading{FormatGasPrice(other), bare + "gwei"})
		}
	}
	return core.Wei{}, d
}

// unusualGas is why a bound is most likely not meant, "" where it may be.
func unusualGas(bound core.Wei, highest bool, present core.Wei) string {
	switch {
	case bound.IsZero() || present.IsZero():
		return ""
	case highest && bound.Cmp(present) < 0:
		return "a highest price of " + FormatGasPrice(bound) + " is below the present price of gas, " +
			FormatGasPrice(present) + ": nothing would be sent until the price falls"
	case bound.Big().Cmp(new(big.Int).Mul(present.Big(), big.NewInt(gasFactor))) > 0:
		return FormatGasPrice(bound) + " is more than a thousand times the present price of gas, " + FormatGasPrice(present)
	}
	return ""
}
