package account

import (
	"crypto/ecdsa"
	"fmt"
	"math/big"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// Permit says whether a call is one that the node makes: a known function of a
// known contract.
type Permit func(to core.Address, data []byte, value core.Wei) bool

// Signer is an open key. It is safe for concurrent use, and prints as its
// address.
type Signer struct {
	key     *ecdsa.PrivateKey
	address core.Address
	permit  atomic.Pointer[Permit]
}

// Address is whose key it is.
func (s *Signer) Address() core.Address { return s.address }

// String is the address; the key is never printed.
func (s *Signer) String() string { return s.address.String() }

// GoString is the address.
func (s *Signer) GoString() string { return s.String() }

// Format keeps every verb from the key.
func (s *Signer) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// Allow says what may be signed from now on. Before, nothing may but an empty
// transaction of the account to itself, which takes the place of one that was
// given up.
func (s *Signer) Allow(p Permit) { s.permit.Store(&p) }

// Call is what a transaction does.
type Call struct {
	To    core.Address
	Data  []byte
	Value core.Wei
}

// Terms are what a transaction has beside its call.
type Terms struct {
	ChainID, Nonce, Gas uint64
	FeeCap, Tip         core.Wei
}

// Sign makes a transaction of a call that is permitted; any other is the fault
// SigningRefused.
func (s *Signer) Sign(c Call, t Terms) (*types.Transaction, error) {
	if !s.permitted(c) {
		return nil, fault.New(fault.SigningRefused, "sign a transaction", "to "+c.To.String())
	}
	to := common.Address(c.To)
	chain := new(big.Int).SetUint64(t.ChainID)
	return types.SignNewTx(s.key, types.LatestSignerForChainID(chain), &types.DynamicFeeTx{
		ChainID: chain, Nonce: t.Nonce, Gas: t.Gas, GasFeeCap: t.FeeCap.Big(), GasTipCap: t.Tip.Big(),
		To: &to, Value: c.Value.Big(), Data: c.Data,
	})
}

func (s *Signer) permitted(c Call) bool {
	if c.To == s.address {
		return len(c.Data) == 0 && c.Value.IsZero()
	}
	p := s.permit.Load()
	return p != nil && (*p)(c.To, c.Data, c.Value)
}
