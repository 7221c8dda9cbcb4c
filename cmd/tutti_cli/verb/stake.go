package verb

import (
	"errors"
	"math/big"
	"strings"

	"github.com/tuttinode/tutti/core"
)

var errStake = errors.New("not an amount of the stake token: write whole tokens such as 1000 or 0.5, or base units " +
	"with their name, 1000000000000000000LPTU")

// ParseStake reads an amount of the stake token: whole tokens, "1000", "0.5" or
// "1000LPT", or base units with their name, "5LPTU". More than 10^15 whole
// tokens without a unit is a Doubt: no such amount exists, and other tools ask
// for base units.
func ParseStake(s string, check InputCheck) (core.LPT, error) {
	s = strings.TrimSpace(s)
	number, unit := splitUnit(s)
	switch strings.ToUpper(unit) {
	case "LPTU":
		l, err := core.ParseLPT(number)
		if err != nil {
			return core.LPT{}, errStake
		}
		return l, nil
	case "LPT", "":
	default:
		return core.LPT{}, errStake
	}
	l, err := core.ParseTokens(number)
	if err != nil {
		return core.LPT{}, errStake
	}
	if check == Strict && unit == "" && !strings.Contains(number, ".") && l.Cmp(hugeStake()) >= 0 {
		return core.LPT{}, unusualStake(number)
	}
	return l, nil
}

// hugeStake is 10^15 whole tokens.
func hugeStake() core.LPT { return core.LPTTokens(1_000_000_000_000_000) }

func unusualStake(number string) error {
	base, err := core.ParseLPT(number)
	if err != nil {
		return errStake
	}
	return &UnusualInput{
		Why: number + " whole tokens do not exist; did you mean base units (1 token is 10^18)?",
		Readings: []reading{
			{Label: number + " whole LPT", Text: number + "LPT"},
			{Label: FormatStake(base) + " (base units)", Text: number + "LPTU"},
		},
	}
}

// FormatStake writes an amount of the stake token with its unit: base units below a
// hundredth of a token.
func FormatStake(l core.LPT) string {
	if tiny(l.Big()) {
		return l.String() + " LPTU"
	}
	return l.Tokens() + " LPT"
}

// tiny: more than nothing and less than a hundredth of a whole unit.
func tiny(n *big.Int) bool { return n.Sign() > 0 && n.Cmp(big.NewInt(10_000_000_000_000_000)) < 0 }

// splitUnit parts a number from the letters behind it. An exponent, as in 1e18,
// belongs to the number.
func splitUnit(s string) (number, unit string) {
	end := len(s)
	for end > 0 && isLetter(s[end-1]) {
		end--
	}
	return strings.TrimSpace(s[:end]), s[end:]
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
