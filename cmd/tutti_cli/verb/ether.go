package verb

import (
	"errors"
	"math/big"
	"strings"

	"github.com/tuttinode/tutti/core"
)

var (
	errEther     = errors.New("not an amount of ETH: write it with its unit, 0.1ETH, 5gwei or 100wei")
	errEtherUnit = errors.New("the unit is missing: write 0.1ETH, 5gwei or 100wei")
	errEtherFine = errors.New("finer than one wei")
)

// etherScale is how many decimal places a unit has above one wei.
func etherScale() map[string]int { return map[string]int{"eth": 18, "ether": 18, "gwei": 9, "wei": 0} }

// ParseEther reads an amount of the chain's native currency with its unit:
// "0.1ETH", "5gwei", "100wei". A bare 0 needs no unit; any other bare number is
// refused, because it is ambiguous.
func ParseEther(s string) (core.Wei, error) {
	number, unit := splitUnit(strings.TrimSpace(s))
	if unit == "" && number == "0" {
		return core.Wei{}, nil
	}
	scale, ok := etherScale()[strings.ToLower(unit)]
	switch {
	case unit == "" && number != "":
		return core.Wei{}, errEtherUnit
	case !ok:
		return core.Wei{}, errEther
	}
	return scaled(number, scale)
}

// ParseGasPrice reads a bound on the price of gas: an amount with its unit, or a
// bare whole number of wei as other tools take it.
func ParseGasPrice(s string) (core.Wei, error) {
	s = strings.TrimSpace(s)
	if _, unit := splitUnit(s); unit != "" {
		return ParseEther(s)
	}
	w, err := core.ParseWei(s)
	if err != nil {
		return core.Wei{}, errors.New("not a price of gas: write wei as a whole number, or with a unit, 0.1gwei; 0 is no " +
			"bound")
	}
	return w, nil
}

func scaled(number string, scale int) (core.Wei, error) {
	whole, fraction, dot := strings.Cut(number, ".")
	if whole == "" || dot && fraction == "" || len(number) > 80 || !digits(whole) || !digits(fraction) {
		return core.Wei{}, errEther
	}
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > scale {
		return core.Wei{}, errEtherFine
	}
	n, ok := new(big.Int).SetString(whole+fraction+strings.Repeat("0", scale-len(fraction)), 10)
	if !ok {
		return core.Wei{}, errEther
	}
	return core.WeiOf(n)
}

func digits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// The least amounts that are written in ETH and in gwei, as on the operator's page.
const (
	leastEther = 1_000_000_000_000_000
	leastGwei  = 1_000_000
)

// FormatEther writes an amount exactly, in the unit that people read it in: ETH, gwei or
// wei.
func FormatEther(w core.Wei) string {
	n := w.Big()
	switch {
	case n.Sign() == 0 || n.Cmp(big.NewInt(leastEther)) >= 0:
		return w.Ether() + " ETH"
	case n.Cmp(big.NewInt(leastGwei)) >= 0:
		return FormatGasPrice(w)
	}
	return w.String() + " wei"
}

// FormatGasPrice writes wei in gwei, as the price of a unit of gas is always written.
func FormatGasPrice(w core.Wei) string {
	whole, rest := new(big.Int).QuoRem(w.Big(), big.NewInt(1_000_000_000), new(big.Int))
	if rest.Sign() == 0 {
		return whole.String() + " gwei"
	}
	fraction := rest.String()
	fraction = strings.Repeat("0", 9-len(fraction)) + fraction
	return whole.String() + "." + strings.TrimRight(fraction, "0") + " gwei"
}
