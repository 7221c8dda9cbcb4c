package verb

import (
	"errors"
	"strings"

	"github.com/tuttinode/tutti/core"
)

var errCut = errors.New("not a percentage from 0 to 100 with at most four decimal places, such as 10 or 12.5")

// ParseRewardCut reads the part of minted tokens that the orchestrator keeps, in
// percent. Below 1 without a percent sign, and all of it, are doubted.
func ParseRewardCut(s string, check InputCheck) (core.PerMillion, error) {
	return parseCut(s, check, "reward cut", func(p core.PerMillion) *UnusualInput {
		if p != core.Whole {
			return nil
		}
		return &UnusualInput{Why: "with a reward cut of 100 % delegators get none of the minted tokens, so few will stake",
			Readings: []reading{{"100 %", "100%"}}}
	})
}

// ParseFeeCut reads the part of the fees that the orchestrator keeps, in percent.
// Below 1 without a percent sign, and nothing, are doubted.
func ParseFeeCut(s string, check InputCheck) (core.PerMillion, error) {
	return parseCut(s, check, "fee cut", func(p core.PerMillion) *UnusualInput {
		if p != 0 {
			return nil
		}
		return &UnusualInput{Why: "with a fee cut of 0 all fees go to delegators and none to you",
			Readings: []reading{{"0 %", "0%"}}}
	})
}

func parseCut(
	s string, check InputCheck, name string, extreme func(core.PerMillion) *UnusualInput,
) (core.PerMillion, error) {
	s = strings.ReplaceAll(strings.TrimSpace(s), " ", "")
	p, err := core.ParsePercent(s)
	if err != nil {
		return 0, errCut
	}
	if check == Trust {
		return p, nil
	}
	if d := extreme(p); d != nil {
		return 0, d
	}
	if p > 0 && p < 10_000 && !strings.HasSuffix(s, "%") {
		return 0, unusualFraction(p, name)
	}
	return p, nil
}

// unusualFraction asks whether 0.1 is 0.1 % or a tenth.
func unusualFraction(p core.PerMillion, name string) *UnusualInput {
	tenfold := p * 100
	return &UnusualInput{
		Why:      "a " + name + " of " + p.String() + " could be " + p.String() + " % or " + tenfold.String() + " %",
		Readings: []reading{{p.String() + " %", p.String() + "%"}, {tenfold.String() + " %", tenfold.String() + "%"}},
	}
}

// FormatPercent writes a share as people read it: "12.5 %".
func FormatPercent(p core.PerMillion) string { return p.String() + " %" }
