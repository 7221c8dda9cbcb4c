package action

import (
	"math/big"
	"strings"

	"github.com/tuttinode/tutti/core/protocol"
)

// billionth writes a share on the minter's scale in percent.
func billionth(p protocol.PerBillion) string {
	return trimmed(new(big.Rat).SetFrac(new(big.Int).SetUint64(uint64(p)), big.NewInt(10_000_000)), 7)
}

// participation returns which part of the supply is bonded.
func participation(a Parameters) string {
	if a.TotalSupply.IsZero() {
		return "-"
	}
	hundredfold := new(big.Int).Mul(a.TotalBonded.Big(), big.NewInt(100))
	return trimmed(new(big.Rat).SetFrac(hundredfold, a.TotalSupply.Big()), 2)
}

func trimmed(percent *big.Rat, places int) string {
	text := percent.FloatString(places)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + " %"
}
