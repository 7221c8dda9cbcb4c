package txmgr_test

import (
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/core/types"
)

// take is the pool's judgment. The caller holds mu.
func (c *chain) take(tx *types.Transaction) error {
	latest, old := c.latest(), c.pool[tx.Nonce()]
	switch {
	case tx.Nonce() < latest:
		return errors.New("nonce too low")
	case old != nil && old.Hash() == tx.Hash():
		return errors.New("already known")
	case old != nil && (!tenthMore(tx.GasFeeCap(), old.GasFeeCap()) || !tenthMore(tx.GasTipCap(), old.GasTipCap())):
		return errors.New("replacement transaction underpriced")
	case tx.Cost().Cmp(c.balance) > 0:
		return errors.New("insufficient funds for gas * price + value")
	case c.strict && tx.GasFeeCap().Cmp(new(big.Int).SetUint64(c.base)) < 0:
		return errors.New("max fee per gas less than block base fee")
	case c.strict && tx.Nonce() > latest && c.pool[tx.Nonce()-1] == nil:
		return errors.New("nonce too high")
	}
	c.pool[tx.Nonce()] = tx
	return nil
}

func tenthMore(n, old *big.Int) bool {
	least := new(big.Int).Div(new(big.Int).Mul(old, big.NewInt(110)), big.NewInt(100))
	return n.Cmp(old) > 0 && n.Cmp(least) >= 0
}
