package core

import (
	"errors"
	"strconv"
	"strings"
)

// PerMillion is a share on the protocol's scale of 1 000 000 = 100 %. Reward cut
// and fee share are such shares.
type PerMillion uint32

// Whole is 100 %.
const Whole PerMillion = 1_000_000

var errPercent = errors.New("not a percentage from 0 to 100 with at most four decimal places")

// ParsePercent reads a percentage as people write it, "10" or "12.5", with or
// without a percent sign.
func ParsePercent(s string) (PerMillion, error) {
	whole, fraction, dot := strings.Cut(strings.TrimSuffix(s, "%"), ".")
	if whole == "" || dot && fraction == "" || len(whole) > 3 || len(fraction) > 4 || !onlyDigits(whole) ||
		!onlyDigits(fraction) {
		return 0, errPercent
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", 4-len(fraction)), 10, 32)
	if err != nil || n > uint64(Whole) {
		return 0, errPercent
	}
	return PerMillion(n), nil
}

// Rest returns what is left to 100 %: a fee cut of a fee share, and the other way round.
func (p PerMillion) Rest() PerMillion {
	if p > Whole {
		return 0
	}
	return Whole - p
}

// String prints the share as ParsePercent reads it, without sign: "12.5".
func (p PerMillion) String() string {
	s := strconv.FormatUint(uint64(p/10_000), 10)
	if rest := uint64(p % 10_000); rest != 0 {
		s += "." + strings.TrimRight(leftPad4(rest), "0")
	}
	return s
}

func leftPad4(n uint64) string {
	s := strconv.FormatUint(n, 10)
	return strings.Repeat("0", 4-len(s)) + s
}
